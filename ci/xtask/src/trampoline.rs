//! The hand-written `dlsym` of each architecture, assembled and run alone against a harness in C.
//!
//! It is the only assembly of this project and the only code that differs between architectures, so this is how the
//! one that nobody here runs natively is tested: on an emulator.

use crate::command::Run;
use crate::tools::Tools;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// An architecture, by its file and what precedes the file's text for a plain assembler.
struct Architecture {
    name: &'static str,
    prologue: &'static str,
}

const ARCHITECTURES: [Architecture; 2] = [
    // The compiler's inline assembly is in Intel syntax.
    Architecture { name: "x86_64", prologue: ".intel_syntax noprefix\n" },
    Architecture { name: "aarch64", prologue: "" },
];

/// Where the trampolines are, for the compiler to include, and the harness.
const SOURCES: &str = "libvgpu/src/abi/dlsym";
const HARNESS: &str = "ci/trampoline/harness.c";

/// Tests each architecture's trampoline.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    let tools = Tools::ready()?;
    let folder = workspace.target().join("trampoline");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for architecture in &ARCHITECTURES {
        let program = build(workspace, &tools, &folder, architecture)?;
        let native = architecture.name == std::env::consts::ARCH;
        let run = if native { Run::new(&program) } else { emulator(architecture.name).arg(&program) };
        run.run().with_context(|| format!("the trampoline for {} does not behave", architecture.name))?;
        println!("trampoline: {} ok{}", architecture.name, if native { "" } else { ", emulated" });
    }
    Ok(())
}

/// Links the trampoline with the harness, statically: an emulator has no libraries of its architecture.
fn build(
    workspace: &Workspace,
    tools: &Tools,
    folder: &Path,
    architecture: &Architecture,
) -> Result<std::path::PathBuf> {
    let Architecture { name, prologue } = architecture;
    let body = workspace.root().join(SOURCES).join(format!("{name}.s"));
    let body = fs::read_to_string(&body).with_context(|| format!("cannot read {}", body.display()))?;
    let assembly = folder.join(format!("{name}.s"));
    fs::write(&assembly, format!("{prologue}.text\n.globl trampoline\ntrampoline:\n{}\n", substitute(&body)))
        .with_context(|| format!("cannot write {}", assembly.display()))?;
    let program = folder.join(name);
    Run::new(tools.python())
        .args(["-m", "ziglang", "cc", "-O2", "-static", "-target", &format!("{name}-linux-musl"), "-o"])
        .arg(&program)
        .arg(&assembly)
        .arg(workspace.root().join(HARNESS))
        .run()?;
    Ok(program)
}

/// Puts the harness's functions where the compiler would put the library's.
fn substitute(body: &str) -> String {
    let operands = ["filter", "real", "resolve"];
    operands.iter().fold(body.to_owned(), |text, name| {
        text.replace(&format!("{{{name}}}"), &format!("trampoline_{name}"))
    })
}

fn emulator(architecture: &str) -> Run {
    Run::new(format!("qemu-{architecture}"))
}

#[cfg(test)]
mod tests {
    use super::substitute;

    #[test]
    fn operands_become_the_names_of_the_harness() {
        assert_eq!(
            substitute("bl {filter}\nadrp x9, {real}"),
            "bl trampoline_filter\nadrp x9, trampoline_real"
        );
    }
}
