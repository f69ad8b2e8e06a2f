//! `cuGetProcAddress`: every name of the table at every version with every flag.

use super::{DRIVER, OURS};
use crate::machine::{BRANCHES, Machine};
use crate::run::Run;
use crate::stage;
use cuda_sys::{Class, DRIVER as TABLE};

/// What the lookups answer natively and preloaded, line by line.
fn both_ways(branch: &'static str) -> Vec<(String, String)> {
    let machine = Machine::with(branch, 1);
    let program = stage::file("bin/lookups");
    let [native, preloaded] =
        [Run::natively(&program), Run::preloaded(&program)].map(|run| machine.on(run).output());
    assert_eq!(native.lines().count(), preloaded.lines().count());
    native
        .lines()
        .zip(preloaded.lines())
        .map(|(native, preloaded)| (native.into(), preloaded.into()))
        .collect()
}

/// The answer that a native one becomes: the same, but for the object when the function is hooked.
fn expected(native: &str) -> String {
    let Some((question, symbol)) = native.split_once(DRIVER) else { return native.into() };
    let name = symbol.trim_start_matches(':').split(' ').next().unwrap();
    let row = TABLE.iter().find(|row| row.symbol == name);
    match row.map(|row| row.class) {
        Some(Class::Hooked(_)) => format!("{question}{OURS}{symbol}"),
        _ => native.into(),
    }
}

#[test]
fn hooked_functions_are_ours_and_every_other_answer_is_the_drivers() {
    for branch in BRANCHES {
        let answers = both_ways(branch);
        let hooked = answers.iter().filter(|(_, preloaded)| preloaded.contains(OURS)).count();
        assert!(answers.len() > 10_000 && hooked > 250, "{branch}: {hooked} of {}", answers.len());
        for (native, preloaded) in answers {
            assert_eq!(preloaded, expected(&native), "{branch}");
        }
    }
}
