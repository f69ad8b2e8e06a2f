//! Searching for inputs that break what reads them. `fuzz/` says what is read, and what is promised.

use crate::command::Run;
use crate::workspace::{PLATFORM, Workspace};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// What makes a program tell libFuzzer where it has been. `cargo fuzz` passes the same; they need no nightly compiler,
/// which only the sanitizers would.
const INSTRUMENTED: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing";

/// Seconds of search for all targets together, unless others are given.
const SECONDS: u64 = 30;

/// Runs the inputs that are kept, then searches for new ones for a fixed time, a part of it for each target.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let seconds = seconds(arguments)?;
    let fuzz = Fuzz { folder: workspace.root().join("fuzz"), target: workspace.target().join("fuzz") };
    fuzz.cargo("fmt").arg("--check").run()?;
    fuzz.cargo("test").arg("--locked").run()?;
    let build = fuzz.cargo("build").args(["--locked", "--release", "--bins", "--features", "libfuzzer"]);
    // With a platform named, build scripts and macros are left as they are.
    build.args(["--target", PLATFORM]).env("RUSTFLAGS", INSTRUMENTED).run()?;
    let targets = fuzz.targets()?;
    let each = (seconds / u64::try_from(targets.len())?).max(1);
    targets.iter().try_for_each(|target| fuzz.search(target, each))
}

/// The number behind `--seconds`.
fn seconds(arguments: &[String]) -> Result<u64> {
    match arguments {
        [] => Ok(SECONDS),
        [_, number] => number
            .parse()
            .ok()
            .filter(|seconds| *seconds > 0)
            .with_context(|| format!("--seconds {number}: write a whole number from 1 on")),
        [_, ..] => bail!("--seconds needs a number, as in --seconds {SECONDS}"),
    }
}

/// Where things are.
struct Fuzz {
    folder: PathBuf,
    /// Cargo's target directory for it.
    target: PathBuf,
}

impl Fuzz {
    fn cargo(&self, subcommand: &str) -> Run {
        Run::cargo(subcommand).dir(&self.folder).env("CARGO_TARGET_DIR", &self.target)
    }

    /// The targets, each of which has a folder of inputs.
    fn targets(&self) -> Result<Vec<String>> {
        let corpus = self.folder.join("corpus");
        let entries = std::fs::read_dir(&corpus).with_context(|| corpus.display().to_string())?;
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let mut names = names.collect::<Result<Vec<String>>>()?;
        names.sort();
        Ok(names)
    }

    /// Searches for `seconds`, from what is kept on. New inputs are written beside the program; one that breaks it is named
    /// in the output, and belongs into the corpus when it is mended.
    fn search(&self, target: &str, seconds: u64) -> Result<()> {
        let found = self.target.join("corpus").join(target);
        std::fs::create_dir_all(&found).with_context(|| found.display().to_string())?;
        let program = self.target.join(PLATFORM).join("release").join(target);
        Run::new(&program)
            .arg(format!("-max_total_time={seconds}"))
            .args([
                "-timeout=10",
                "-rss_limit_mb=1024",
                "-max_len=4200",
                "-print_final_stats=1",
                "-verbosity=0",
            ])
            .arg(format!("-artifact_prefix={}", prefix(&self.target, target)))
            .args([found, self.folder.join("corpus").join(target)])
            .dir(&self.folder)
            .run()
    }
}

/// How the names of files begin into which an input is written that breaks `target`.
fn prefix(folder: &Path, target: &str) -> String {
    folder.join(format!("{target}-")).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &[&str]) -> Result<u64> {
        seconds(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_time_that_is_none_searched_for_the_usual_time() {
        assert_eq!(given(&[]).unwrap(), SECONDS);
        assert_eq!(given(&["--seconds", "7"]).unwrap(), 7);
        for wrong in [&["--seconds", "x"][..], &["--seconds", "0"], &["--seconds"], &["--seconds", "1", "2"]]
        {
            assert!(given(wrong).is_err(), "{wrong:?}");
        }
    }
}
