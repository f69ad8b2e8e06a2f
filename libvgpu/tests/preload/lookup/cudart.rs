//! The lookups of the CUDA runtimes, which themselves do not run on a simulated driver.

use super::OURS;
use crate::machine::{BRANCHES, Machine};
use crate::run::Run;
use crate::stage;

const LOOKUPS: [&str; 3] = ["11.8: 384 lookups", "12.9: 419 lookups", "13.5: 481 lookups"];
/// Branch 470 is too old for the runtimes after the first.
const LOOKUPS_470: [&str; 3] = [LOOKUPS[0], "12.9: needs a newer driver", "13.5: needs a newer driver"];

/// The lines of the replays that there are, none of which may tell of a wrong answer.
fn lines(branch: &str, run: Run) -> Vec<String> {
    let said = run.said();
    assert_eq!((said.status.as_str(), said.errors.as_str()), ("exit status: 0", ""), "{}", said.output);
    let starts = if branch == "470" { LOOKUPS_470 } else { LOOKUPS };
    let lines: Vec<_> = said.output.lines().map(str::to_owned).collect();
    assert!(lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{lines:#?}");
    assert_eq!(lines.len(), starts.len(), "{lines:#?}");
    lines.into_iter().filter(|line| line.contains(" lookups, ")).collect()
}

#[test]
fn every_hooked_answer_is_ours_and_every_other_one_the_driver_s() {
    for branch in BRANCHES {
        let machine = Machine::with(branch, 1);
        let program = stage::file("bin/cudart-replay");
        let native = lines(branch, machine.on(Run::natively(&program)));
        assert!(native.iter().all(|line| line.ends_with(" 0 hooked, 0 wrong")), "{native:#?}");
        let preloaded = lines(branch, machine.on(Run::preloaded(&program)).arg("--hooked-by").arg(OURS));
        assert!(preloaded.iter().all(|line| !line.contains(" 0 hooked")), "{preloaded:#?}");
    }
}
