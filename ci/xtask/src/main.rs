//! Every check of this repository is one command that a person can run: `cargo xtask <name>`.

mod ci;
mod command;
mod deps;
mod elf;
mod exports;
mod floor;
mod lint;
mod metadata;
mod stage;
mod style;
mod test;
mod tools;
mod workspace;

use anyhow::{Result, bail};
use workspace::Workspace;

/// One subcommand.
struct Task {
    name: &'static str,
    help: &'static str,
    run: fn(&Workspace, &[String]) -> Result<()>,
}

const TASKS: &[Task] = &[
    Task { name: "ci", help: "every check below, in order, with a table of times", run: ci::run },
    Task {
        name: "stage",
        help: "build everything and lay it out for use; prints the directory",
        run: stage::run,
    },
    Task { name: "fmt", help: "formatting, as rustfmt would have it", run: lint::fmt },
    Task { name: "clippy", help: "lints of every crate and target", run: lint::clippy },
    Task { name: "docs", help: "the API documentation builds without a warning", run: lint::docs },
    Task { name: "style", help: "file sizes, machine paths, links between documents", run: style::run },
    Task { name: "deps", help: "who may depend on whom, and who may use unsafe code", run: deps::run },
    Task { name: "test", help: "unit and integration tests, against the staged files", run: test::run },
    Task { name: "loom", help: "the model-checked tests of the shared protocols", run: test::loom },
    Task {
        name: "exports",
        help: "what the staged libvgpu.so exports, needs and runs at load",
        run: exports::run,
    },
    Task { name: "floor", help: "the oldest glibc that the staged libvgpu.so loads on", run: floor::run },
];

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let (name, rest) = match arguments {
        [] => return usage(),
        [name, ..] if ["help", "--help", "-h"].contains(&name.as_str()) => return usage(),
        [name, rest @ ..] => (name, rest),
    };
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        bail!("no command named `{name}`; `cargo xtask help` lists them");
    };
    (task.run)(&Workspace::load()?, rest)
}

#[expect(clippy::unnecessary_wraps, reason = "the answer of `dispatch`")]
fn usage() -> Result<()> {
    println!("cargo xtask <command>\n");
    for task in TASKS {
        println!("  {:<12} {}", task.name, task.help);
    }
    Ok(())
}
