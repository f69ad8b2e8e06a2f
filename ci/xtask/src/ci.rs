//! All checks, in order.

use crate::workspace::Workspace;
use crate::{TASKS, Task};
use anyhow::{Context, Result, bail};
use std::time::{Duration, Instant};

/// Cheapest first; what reads the stage comes after `stage`. A step may have arguments.
const STEPS: &[&str] = &[
    "style",
    "fmt",
    "deps",
    "cache",
    "intercepted",
    "table",
    "clippy",
    "docs",
    "stage",
    "exports",
    "floor",
    "test",
    "shares --quick",
    "counts",
    "report --quick",
    "loom",
    "fuzz",
    "demo",
    "gpu",
    "image",
    "chart",
    "kube test",
    "kube rate --quick",
];

/// How one step went.
struct Outcome {
    name: &'static str,
    time: Duration,
    passed: bool,
}

/// Runs every step until one fails, and prints a table of what ran.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    let mut outcomes = Vec::new();
    for name in STEPS {
        let mut words = name.split_whitespace().map(str::to_owned);
        let command = words.next().unwrap_or_default();
        let task =
            TASKS.iter().find(|task| task.name == command).with_context(|| format!("no step {name}"))?;
        let outcome = step(workspace, name, task, &words.collect::<Vec<_>>());
        let passed = outcome.passed;
        outcomes.push(outcome);
        if !passed {
            break;
        }
    }
    report(&outcomes);
    match outcomes.iter().find(|outcome| !outcome.passed) {
        Some(failed) => bail!("{} failed; run it alone with `cargo xtask {0}`", failed.name),
        None => Ok(()),
    }
}

fn step(workspace: &Workspace, name: &'static str, task: &Task, arguments: &[String]) -> Outcome {
    println!("\n=== {name}: {}", task.help);
    let start = Instant::now();
    let result = (task.run)(workspace, arguments);
    if let Err(error) = &result {
        println!("{name}: {error:#}");
    }
    Outcome { name, time: start.elapsed(), passed: result.is_ok() }
}

fn report(outcomes: &[Outcome]) {
    println!("\n{:<17} {:>8}  result", "step", "seconds");
    for outcome in outcomes {
        let result = if outcome.passed { "ok" } else { "FAILED" };
        println!("{:<17} {:>8.1}  {result}", outcome.name, outcome.time.as_secs_f64());
    }
    let passed = outcomes.iter().filter(|outcome| outcome.passed).count();
    println!(
        "\nsteps: {passed} passed, {} failed, {} skipped",
        outcomes.len() - passed,
        STEPS.len() - outcomes.len()
    );
}
