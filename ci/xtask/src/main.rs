//! Every check of this repository is one command that a person can run: `cargo xtask <name>`.

#![forbid(unsafe_code)]

mod arguments;
mod cache;
mod chart;
mod ci;
mod clients;
mod command;
mod demo;
mod deps;
mod elf;
mod exports;
mod floor;
mod fuzz;
mod gpu;
mod image;
mod intercepted;
mod kube;
mod lint;
mod lock;
mod metadata;
mod overhead;
mod python;
mod shares;
mod stage;
mod style;
mod table;
mod test;
mod tools;
mod workspace;

use anyhow::{Result, bail};
use arguments::Accepts;
use command::Ended;
use workspace::Workspace;

/// What a subcommand does with its arguments.
type Action = fn(&Workspace, &[String]) -> Result<()>;

/// One subcommand.
struct Task {
    name: &'static str,
    help: &'static str,
    accepts: Accepts,
    run: Action,
}

/// Every subcommand, in the order in which `help` lists them.
const TASKS: &[Task] = &[
    task("ci", "every check below but `bench`, in order, with a table of times", ci::run),
    task("demo", "build everything and show a program inside 1 GiB of a simulated 80 GiB card", demo::run),
    task("stage", "build everything and lay it out for use; prints the directory", stage::run),
    task("style", "file sizes, machine paths, links between documents, names of variables", style::run),
    task("fmt", "formatting, as rustfmt would have it", lint::fmt),
    task("deps", "who may depend on whom, who may use unsafe code, who may do input and output", deps::run),
    task("cache", "a build cache never takes another checkout's outputs for its own", cache::run),
    task("clippy", "lints of every crate and target", lint::clippy),
    task("docs", "the API documentation builds without a warning", lint::docs),
    task("table", "the table of entry points against headers and drivers", table::run).accepting(
        Accepts::Flag("--derive", "writes the profiles of drivers that nobody here has, from headers"),
    ),
    task("intercepted", "docs/intercepted.md is what the table says", intercepted::run)
        .accepting(Accepts::Flag("--write", "writes the document instead of comparing it")),
    task("exports", "what the staged libvgpu.so exports, needs and runs at load", exports::run),
    task("floor", "the oldest glibc that the staged libvgpu.so loads on", floor::run),
    task("clients", "prepare real clients for `test`: nvidia-smi, nvtop, Python stacks", clients::run),
    task("test", "unit and integration tests, against the staged files", test::run)
        .accepting(Accepts::CargoTest),
    task("fuzz", "what tenants and users can write, searched for inputs that break its readers", fuzz::run)
        .accepting(Accepts::Number("--seconds", "how long to search, in all; 30 unless given")),
    task("gpu", "the script for real cards, on the simulated one", gpu::run),
    task("counts", "instructions of each hooked call against benches/counts.tsv", overhead::counts)
        .accepting(Accepts::Flag("--record", "writes what is counted instead of comparing it")),
    task("bench", "what the library costs, beside the driver alone; a table of times", overhead::bench),
    task(
        "report",
        "interposers beside each other and beside nothing; tables, JSON and plots",
        overhead::report,
    )
    .accepting(Accepts::Program("report")),
    task("shares", "how exactly compute shares hold, on a virtual clock; a table in Markdown", shares::run)
        .accepting(Accepts::Filter(&[
            ("--quick", "only what CI runs: less than a minute"),
            ("--write", "writes it into docs/compute-shares.md instead of comparing it"),
        ])),
    task(
        "image",
        "the images of the node agent and the scheduler extender, as archives; prints the files",
        image::run,
    ),
    task("chart", "the chart, linted and rendered; the manifests are what it says", chart::run)
        .accepting(Accepts::Flag("--write", "writes the manifests instead of comparing them")),
    task("kube", "a real Kubernetes in namespaces of its own: `up`, `test`, `down`, and more", kube::run)
        .accepting(Accepts::Commands(kube::COMMANDS)),
    task("loom", "the model-checked tests of the shared protocols", test::loom).accepting(Accepts::CargoTest),
];

/// A subcommand without arguments.
const fn task(name: &'static str, help: &'static str, run: Action) -> Task {
    Task { name, help, accepts: Accepts::Nothing, run }
}

impl Task {
    const fn accepting(self, accepts: Accepts) -> Self {
        Self { name: self.name, help: self.help, accepts, run: self.run }
    }

    fn print_help(&self) {
        println!("{}\n\n{}", self.accepts.usage(self.name), self.help);
        println!("{}", self.accepts.explanation(self.name));
    }
}

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            let passed_on = error.downcast_ref::<Ended>().map(|ended| ended.code);
            passed_on.map_or(std::process::ExitCode::FAILURE, std::process::ExitCode::from)
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let is_help = |name: &String| ["help", "--help", "-h"].contains(&name.as_str());
    match arguments {
        [] => print_all(),
        [help] if is_help(help) => print_all(),
        [help, name] if is_help(help) => find(name)?.print_help(),
        [help, _, rest @ ..] if is_help(help) => {
            bail!("help: one command at a time, `{}` is too much", rest[0])
        }
        [name, rest @ ..] if arguments::ask_for_help(rest) => find(name)?.print_help(),
        [name, rest @ ..] => {
            let task = find(name)?;
            task.accepts.check(name, rest)?;
            (task.run)(&Workspace::load()?, rest)?;
        }
    }
    Ok(())
}

fn find(name: &str) -> Result<&'static Task> {
    let names = || TASKS.iter().map(|task| task.name).collect::<Vec<_>>().join(", ");
    match TASKS.iter().find(|task| task.name == name) {
        Some(task) => Ok(task),
        None => bail!("no command `{name}`; there are {}", names()),
    }
}

fn print_all() {
    println!("cargo xtask <command>            (`cargo xtask <command> --help` tells what it accepts)\n");
    for task in TASKS {
        println!("  {:<12} {}", task.name, task.help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dispatched(words: &[&str]) -> Result<()> {
        dispatch(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn bench_help_ran_the_bench() {
        // Without cargo metadata and a build this takes no time; with them it would not pass without a stage.
        assert!(dispatched(&["bench", "--help"]).is_ok());
    }

    #[test]
    fn a_command_that_is_not_there_is_named_beside_those_that_are() {
        let error = dispatched(&["tests"]).unwrap_err().to_string();
        assert!(error.starts_with("no command `tests`; there are ci, demo, "), "{error}");
        assert_eq!(
            dispatched(&["help", "nothing"]).unwrap_err().to_string(),
            dispatched(&["nothing"]).unwrap_err().to_string()
        );
    }

    #[test]
    fn an_argument_that_is_not_accepted_runs_nothing() {
        let error = dispatched(&["ci", "--fast"]).unwrap_err().to_string();
        assert_eq!(error, "ci: no argument `--fast`; usage: cargo xtask ci (`ci` takes no arguments)");
    }
}
