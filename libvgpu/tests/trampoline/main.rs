//! The trampolines of `dlsym`, `dlvsym` and `__gmon_start__` alone: the assembly text that the library includes, assembled
//! with C functions in place of its symbols and put through every path. So the text for aarch64 is tested on any machine.

#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// How to build and run programs of one processor.
struct Processor {
    /// The name of the assembly file.
    name: &'static str,
    /// What the assembler must be told before the text.
    syntax: &'static str,
    compiler: &'static str,
    /// Runs the program; empty: the kernel does.
    emulator: &'static [&'static str],
}

const X86_64: Processor =
    Processor { name: "x86_64", syntax: ".intel_syntax noprefix", compiler: "cc", emulator: &[] };

const AARCH64: Processor =
    Processor { name: "aarch64", syntax: "", compiler: "aarch64-linux-gnu-gcc", emulator: &["qemu-aarch64"] };

#[test]
fn x86_64() {
    if cfg!(target_arch = "x86_64") {
        every_path_is_right(&X86_64);
    } else {
        println!("skipped: this machine does not run x86_64 programs");
    }
}

#[test]
fn aarch64() {
    every_path_is_right(&AARCH64);
}

fn every_path_is_right(processor: &Processor) {
    let tools: Vec<_> = processor.emulator.iter().chain([&processor.compiler]).collect();
    if let Some(missing) = tools.iter().find(|tool| Command::new(tool).arg("--version").output().is_err()) {
        println!("skipped: {missing} is not installed (Debian: gcc-aarch64-linux-gnu, qemu-user)");
        return;
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("trampoline-{}", processor.name));
    std::fs::create_dir_all(&directory).unwrap();
    let program = build(processor, &directory);
    let mut words = processor.emulator.iter().map(Path::new).chain([program.as_path()]);
    let mut run = Command::new(words.next().unwrap());
    let output = run.args(words).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}\n{said}", output.status);
    assert!(said.ends_with("every path is right\n"), "{said}");
}

fn build(processor: &Processor, directory: &Path) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The suffix .S has the compiler strip the comments, which the assemblers write differently.
    let assembly = directory.join("trampoline.S");
    let lookup = text(processor, "dlsym", "trampoline");
    let parts = [".text", processor.syntax, &lookup, &text(processor, "arrival", "arrival")];
    let note = ".section .note.GNU-stack,\"\",%progbits\n";
    std::fs::write(&assembly, parts.join("\n") + note).unwrap();
    let program = directory.join("harness");
    let mut compiler = Command::new(processor.compiler);
    // Static, so that the emulator needs no libraries of the other processor.
    compiler.args(["-O1", "-Wall", "-Wextra", "-Werror", "-fno-omit-frame-pointer", "-static", "-o"]);
    compiler.arg(&program).arg(tests.join("tests/trampoline/harness.c")).arg(&assembly);
    let output = compiler.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// The text in `folder`, as a function of this name that calls `trampoline_...` in place of its symbols.
fn text(processor: &Processor, folder: &str, function: &str) -> String {
    let path = format!("{}/src/abi/{folder}/{}.s", env!("CARGO_MANIFEST_DIR"), processor.name);
    let text = std::fs::read_to_string(path).unwrap();
    let text = ["filter", "real", "resolve", "arrived"]
        .iter()
        .fold(text, |text, symbol| text.replace(&format!("{{{symbol}}}"), &format!("trampoline_{symbol}")));
    format!(".globl {function}\n{function}:\n{text}")
}
