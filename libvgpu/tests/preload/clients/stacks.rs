//! CUDA stacks of Python. Each program copies something there and back or launches a kernel, then takes blocks of 100 MiB
//! until it is refused or has twelve: more than fits into the slice of these tests.

use super::{Start, file, program, python};
use crate::machine::{MODERN, Machine};
use crate::run::Run;

/// A program, and what it prints when it has the whole card, and in a slice of 1 GiB beside its context.
struct Stack {
    interpreter: fn(&Machine, Start) -> Option<Run>,
    program: &'static str,
    whole: &'static [&'static str],
    slice: &'static [&'static str],
}

#[test]
fn cuda_bindings_copies_and_is_refused() {
    check(&Stack {
        interpreter: python,
        program: "bindings.py",
        whole: &["total 81000", "copied there and back", "blocks 12", "given back True"],
        slice: &["total 1024", "copied there and back", "refused", "blocks 5", "given back True"],
    });
}

#[test]
fn cuda_core_is_refused_by_its_pool() {
    check(&Stack {
        interpreter: python,
        program: "core.py",
        whole: &["name NVIDIA H100 80GB HBM3", "blocks 12", "given back True"],
        slice: &["name NVIDIA H100 80GB HBM3", "refused", "blocks 5", "given back True"],
    });
}

#[test]
fn numba_cuda_compiles_launches_and_is_refused() {
    check(&Stack {
        interpreter: python,
        program: "jit.py",
        whole: &["total 81000", "copied True", "launched", "blocks 12"],
        slice: &["total 1024", "copied True", "launched", "refused", "blocks 5"],
    });
}

#[test]
fn taichi_compiles_launches_and_is_refused() {
    check(&Stack {
        interpreter: python,
        program: "fields.py",
        whole: &["arch Arch.cuda", "launched", "blocks 12"],
        slice: &["arch Arch.cuda", "launched", "refused", "blocks 5"],
    });
}

#[test]
fn tinygrad_copies_and_is_refused() {
    check(&Stack {
        interpreter: python,
        program: "tensors.py",
        whole: &["copied there and back", "blocks 12"],
        slice: &["copied there and back", "refused", "blocks 5"],
    });
}

#[test]
fn pycuda_which_is_linked_copies_and_is_refused() {
    check(&Stack {
        interpreter: python_with_pycuda,
        program: "arrays.py",
        whole: &["total 81000 81000", "copied True", "blocks 12"],
        slice: &["total 1024 1024", "copied True", "refused", "blocks 5"],
    });
}

/// Runs the program natively, behind the library without a limit, and in a slice, under each driver.
fn check(stack: &Stack) {
    for branch in MODERN {
        let machine = Machine::with(branch, 1);
        let run = |start: Start| Some((stack.interpreter)(&machine, start)?.arg(program(stack.program)));
        let Some(native) = run(Run::natively) else { return };
        assert_eq!(lines(native), stack.whole, "{branch}, natively");
        let Some(preloaded) = run(Run::preloaded) else { return };
        assert_eq!(lines(preloaded), stack.whole, "{branch}, without a limit");
        let Some(limited) = run(Run::preloaded) else { return };
        assert_eq!(lines(machine.in_container(limited, "1g")), stack.slice, "{branch}, in a slice");
    }
}

/// pycuda is a package of Debian, which comes with an older numpy and a library of its own.
fn python_with_pycuda(machine: &Machine, start: Start) -> Option<Run> {
    let pycuda = file("pycuda")?;
    let packages = [pycuda.join("wheels"), pycuda.join("usr/lib/python3/dist-packages")];
    let run = python(machine, start)?.env("PYTHONPATH", std::env::join_paths(packages).unwrap());
    Some(run.libraries(&pycuda.join("usr/lib/x86_64-linux-gnu")))
}

/// What the program prints, without what taichi says of its version and the empty lines it ends with.
fn lines(run: Run) -> Vec<String> {
    let said = run.said();
    assert_eq!(said.status, "exit status: 0", "{said:#?}");
    let own = said.output.lines().filter(|line| !line.is_empty() && !line.starts_with("[Taichi]"));
    own.map(|line| line.trim_end().to_owned()).collect()
}
