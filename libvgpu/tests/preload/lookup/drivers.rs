//! Drivers that are older and newer than what we know, and some that we cannot hold.

use super::{DRIVER, OURS, driver_with, lines};
use crate::compile;
use crate::machine::Machine;
use crate::run::{Run, Said};
use crate::scratch::Scratch;
use crate::stage;

/// What a program prints that takes 2 GiB out of 1 GiB from a driver of a few entry points.
fn taken(flags: &[&str]) -> String {
    let machine = Machine::new();
    let directory = machine.path("driver");
    std::fs::create_dir(&directory).unwrap();
    compile::library(&directory, DRIVER, "forwards.c", flags);
    let simulated = stage::file("sim/550/libcuda.so.1");
    std::os::unix::fs::symlink(simulated, directory.join("libsimulated.so")).unwrap();
    let program = compile::program(&directory, "takes.c", &[]);
    let run = machine.in_container(machine.on(Run::preloaded(program)), "1g");
    run.libraries(&directory).arg(DRIVER).output()
}

#[test]
fn a_driver_from_before_cu_get_proc_address_is_limited() {
    assert_eq!(taken(&[]), format!("{OURS}: 2\n"));
}

#[test]
fn a_driver_with_functions_that_nobody_knows_is_limited() {
    assert_eq!(taken(&["-DNEWER"]), format!("{OURS}: 2\n"));
}

/// What `source` says of names it asks for, natively and preloaded with this much to be said.
fn asked(source: &str, level: &str) -> [Said; 2] {
    let scratch = Scratch::new();
    driver_with(scratch.path(), &["-DNEWER"]);
    let program = compile::program(scratch.path(), source, &[]);
    [Run::natively(&program), Run::preloaded(&program)].map(|run| {
        let run = run.libraries(scratch.path()).env("LIBCUDA_LOG_LEVEL", level);
        run.arg(DRIVER).arg("cuMemAllocSooner").arg("cuMemAllocNever").said()
    })
}

#[test]
fn a_function_that_nobody_knows_stays_the_driver_s_and_is_counted() {
    for source in ["opened.c", "queries.c"] {
        let [native, quiet] = asked(source, "2");
        assert_eq!(native.output, lines(&[("cuMemAllocSooner", DRIVER), ("cuMemAllocNever", "NULL")]));
        assert_eq!(quiet, native);
        let [_, told] = asked(source, "3");
        let gap =
            "vgpu: gap 1: the driver's cuMemAllocSooner is not known here and goes to the driver uncounted\n";
        assert_eq!((told.output, told.errors.as_str()), (native.output, gap), "{source}");
    }
}

#[test]
fn a_driver_that_chooses_a_function_keeps_its_symbol_table_and_the_first_layer_holds() {
    let scratch = Scratch::new();
    driver_with(scratch.path(), &["-DCHOOSES"]);
    let program = compile::program(scratch.path(), "opened.c", &[]);
    let run = Run::preloaded(program).libraries(scratch.path()).env("LIBCUDA_LOG_LEVEL", "3");
    let said = run.arg(DRIVER).arg("cuMemAlloc_v2").arg("cuMemFree_v2").said();
    assert_eq!(said.output, lines(&[("cuMemAlloc_v2", OURS), ("cuMemFree_v2", OURS)]));
    assert!(said.errors.contains("gap 1: the symbol table of libcuda.so.1 keeps"), "{said:?}");
    assert!(said.errors.contains("not laid out as expected"), "{said:?}");
}

#[test]
fn where_memory_cannot_be_made_writable_the_first_layer_holds() {
    let scratch = Scratch::new();
    driver_with(scratch.path(), &[]);
    let program = compile::program(scratch.path(), "forbids.c", &[]);
    let run = Run::preloaded(program).libraries(scratch.path()).env("LIBCUDA_LOG_LEVEL", "3");
    let said = run.arg(DRIVER).arg("cuMemAlloc_v2").arg("cuDriverGetVersion").said();
    let found = [("cuMemAlloc_v2", OURS), ("cuDriverGetVersion", DRIVER), ("default cuInit", OURS)];
    assert_eq!(said.output, lines(&found));
    assert!(said.errors.contains("the system refuses to make it writable"), "{said:?}");
}

/// NVML and old drivers are linked like this: one segment for all that is not written, and the old hash table alone.
#[test]
fn a_symbol_table_among_code_leads_to_the_hooks_too() {
    let scratch = Scratch::new();
    driver_with(scratch.path(), &["-Wl,-z,noseparate-code", "-Wl,--hash-style=sysv"]);
    let before = compile::library(scratch.path(), "libbefore.so", "before.c", &[]);
    let program = compile::program(scratch.path(), "opened.c", &[]);
    let run = Run::natively(program).behind(&before).behind(&stage::library()).libraries(scratch.path());
    let output = run.arg(DRIVER).arg("cuMemAlloc_v2").arg("cuDriverGetVersion").arg("cuNothing").output();
    assert_eq!(
        output,
        lines(&[("cuMemAlloc_v2", OURS), ("cuDriverGetVersion", DRIVER), ("cuNothing", "NULL")])
    );
}
