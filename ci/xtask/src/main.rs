//! Every check of this repository is one command that a person can run: `cargo xtask <name>`.

#![forbid(unsafe_code)]

mod ci;
mod command;
mod demo;
mod deps;
mod elf;
mod exports;
mod floor;
mod gpu;
mod intercepted;
mod lint;
mod metadata;
mod overhead;
mod stage;
mod style;
mod table;
mod test;
mod tools;
mod workspace;

use anyhow::{Result, bail};
use workspace::Workspace;

/// What a subcommand does with its arguments.
type Action = fn(&Workspace, &[String]) -> Result<()>;

/// One subcommand.
struct Task {
    name: &'static str,
    help: &'static str,
    run: Action,
}

/// Every subcommand, in the order in which `help` lists them.
const TASKS: &[Task] = &[
    task("ci", "every check below, in order, with a table of times", ci::run),
    task("demo", "build everything and show a program inside 1 GiB of a simulated 80 GiB card", demo::run),
    task("stage", "build everything and lay it out for use; prints the directory", stage::run),
    task("style", "file sizes, machine paths, links between documents", style::run),
    task("fmt", "formatting, as rustfmt would have it", lint::fmt),
    task("deps", "who may depend on whom, and who may use unsafe code", deps::run),
    task("clippy", "lints of every crate and target", lint::clippy),
    task("docs", "the API documentation builds without a warning", lint::docs),
    task("table", "the table of entry points against headers and recorded drivers", table::run),
    task("intercepted", "docs/intercepted.md is what the table says; --write makes it so", intercepted::run),
    task("exports", "what the staged libvgpu.so exports, needs and runs at load", exports::run),
    task("floor", "the oldest glibc that the staged libvgpu.so loads on", floor::run),
    task("test", "unit and integration tests, against the staged files", test::run),
    task("gpu", "the script for real cards, on the simulated one", gpu::run),
    task("counts", "instructions of each hooked call against benches/counts.tsv; --record", overhead::counts),
    task("bench", "what the library costs, beside the driver alone; a table of times", overhead::bench),
    task("loom", "the model-checked tests of the shared protocols", test::loom),
];

const fn task(name: &'static str, help: &'static str, run: Action) -> Task {
    Task { name, help, run }
}

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
