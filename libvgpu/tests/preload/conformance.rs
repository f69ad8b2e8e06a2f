//! The conformance suite passes on the simulated driver, and nothing of it changes with the library in front.

use crate::machine::{BRANCHES, Machine};
use crate::run::Run;
use crate::stage;

/// The suite's lines. Nothing in it may fail.
fn lines(machine: &Machine, run: impl Fn(Run) -> Run) -> Vec<String> {
    let said = run(machine.on(Run::natively(stage::file("bin/conformance")))).said();
    let failed: Vec<_> = said.output.lines().filter(|line| line.starts_with("fail ")).collect();
    assert_eq!((said.status.as_str(), said.errors.as_str()), ("exit status: 0", ""), "{failed:#?}");
    said.output.lines().map(str::to_owned).collect()
}

/// Facts are figures of one run; everything else is the same in every run.
fn without_facts(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).filter(|line| !line.starts_with("fact ")).collect()
}

#[test]
fn the_suite_passes_natively_and_preloaded_and_under_a_limit() {
    for branch in BRANCHES {
        let machine = Machine::with(branch, 2);
        let native = lines(&machine, |run| run);
        assert!(native.iter().filter(|line| line.starts_with("ok ")).count() > 1000, "{branch}");
        let preloaded = lines(&machine, |run| run.behind(&stage::library()));
        assert_eq!(without_facts(&preloaded), without_facts(&native), "{branch}");
        let limited = lines(&machine, |run| {
            run.behind(&stage::library())
                .env("CUDA_DEVICE_MEMORY_LIMIT", "1g")
                .env("CUDA_DEVICE_MEMORY_SHARED_CACHE", machine.path("region"))
        });
        assert_eq!(without_facts(&limited), without_facts(&native), "{branch}");
    }
}
