//! Lines for what was found, and their sums.

use cuda_sys::CUresult;
use std::fmt::{self, Display};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// The lines of one group.
pub(crate) struct Report {
    group: &'static str,
}

impl Report {
    pub(crate) const fn of(group: &'static str) -> Self {
        Self { group }
    }

    /// The answer to one question; `found` says what there was instead.
    pub(crate) fn check(&mut self, name: impl Display, passed: bool, found: impl Display) {
        if passed {
            println!("ok {}/{name}", self.group);
        } else {
            self.fail(name, found);
        }
    }

    /// A call that must return `expected`.
    pub(crate) fn expect(&mut self, name: impl Display, code: CUresult, expected: CUresult) {
        self.check(name, code == expected, format_args!("{} instead of {}", code.0, expected.0));
    }

    /// A call that must not succeed, with whatever code.
    pub(crate) fn expect_refusal(&mut self, name: impl Display, code: CUresult) {
        self.check(name, !code.is_success(), "success");
    }

    pub(crate) fn fail(&mut self, name: impl Display, found: impl Display) {
        println!("fail {}/{name}: {found}", self.group);
    }

    pub(crate) fn skip(&mut self, name: impl Display, why: impl Display) {
        println!("skip {}/{name}: {why}", self.group);
    }

    /// Something that is worth knowing and nothing to judge.
    pub(crate) fn fact(&mut self, name: impl Display, value: impl Display) {
        println!("fact {}/{name}: {value}", self.group);
    }
}

/// How many lines of each kind there were.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    passed: u32,
    pub(crate) failed: u32,
    skipped: u32,
}

impl Totals {
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    fn count(&mut self, line: &str) {
        match line.split(' ').next() {
            Some("ok") => self.passed += 1,
            Some("fail") => self.failed += 1,
            Some("skip") => self.skipped += 1,
            _ => {}
        }
    }

    fn fail(&mut self, group: &str, found: impl Display) {
        println!("fail {group}/process: {found}");
        self.failed += 1;
    }
}

impl Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// Runs this program with other arguments, shows its lines and counts them. A bad end is a failure of `group`.
pub(crate) fn in_a_process(arguments: &[&str], group: &str) -> Totals {
    let mut totals = Totals::default();
    let start = std::env::current_exe()
        .and_then(|program| Command::new(program).args(arguments).stdout(Stdio::piped()).spawn());
    let mut process = match start {
        Ok(process) => process,
        Err(error) => {
            totals.fail(group, error);
            return totals;
        }
    };
    let lines = process.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines());
    for line in lines.map_while(Result::ok) {
        totals.count(&line);
        println!("{line}");
    }
    match process.wait() {
        Ok(status) if status.success() => {}
        Ok(status) => totals.fail(group, status),
        Err(error) => totals.fail(group, error),
    }
    totals
}
