//! What a whole program takes longer: one with limits that it does not reach.
//!
//! What is looked for is a few thousandths, and that is what two runs of the same program differ by on a machine that does
//! anything else. So each round has the program run natively before and after, and what those two differ by is told and judged as
//! well.

use crate::goal::PROGRAM;
use anyhow::Result;
use benches::program::{BY_EIGHTS, GRAPHS, HOST_BOUND, LAUNCH_BOUND, ONE_BY_ONE, Program, STEPS};
use benches::rounds::Rounds;
use benches::statistics::{Added, median};
use benches::subject::{Setting, Subject};

/// Rounds of a line.
const ROUNDS: usize = 15;

/// A line: a program, and under what it runs.
struct Measured {
    what: &'static str,
    program: Program,
    setting: Setting,
    /// Whether the goal is for it. It is not where the device waits for the host: there what an intercepted call costs is the
    /// whole difference, of which rows 1 and 2 are.
    has_goal: bool,
}

const LINES: [Measured; 7] = [
    Measured::new(BY_EIGHTS),
    Measured::new(ONE_BY_ONE),
    Measured::new(GRAPHS),
    Measured::new(STEPS),
    Measured::without_goal(HOST_BOUND),
    Measured {
        what: "the same without limits",
        setting: Setting::Unlimited,
        ..Measured::without_goal(HOST_BOUND)
    },
    Measured::without_goal(LAUNCH_BOUND),
];

/// What one took, in nanoseconds: by the clock, and the processor time of the threads that the program knows nothing of.
type Took = [u64; 2];

/// Measures and prints the row.
///
/// # Errors
/// A measured program failed.
pub(crate) fn print(subject: &Subject) -> Result<()> {
    PROGRAM.print();
    LINES.iter().try_for_each(|line| line.measure(subject))?;
    println!(
        "  Natively each round is measured twice, before and after: noise is what those two differ by, in the median."
    );
    println!("  Where that is more than the goal, the line is inconclusive.");
    Ok(())
}

impl Measured {
    const fn new(program: Program) -> Self {
        Self { what: program.name, program, setting: Setting::Shared, has_goal: true }
    }

    const fn without_goal(program: Program) -> Self {
        Self { has_goal: false, ..Self::new(program) }
    }

    fn measure(&self, subject: &Subject) -> Result<()> {
        let run = |setting| subject.ask::<2>(setting, self.program.work, self.program.count);
        let rounds: Vec<[Took; 3]> = (0..ROUNDS)
            .map(|_| Ok([run(Setting::Native)?, run(self.setting)?, run(Setting::Native)?]))
            .collect::<Result<_>>()?;
        let time = |of: fn(&[Took; 3]) -> u64| rounds.iter().map(of).collect::<Vec<_>>();
        let (before, after) = (time(|round| round[0][0]), time(|round| round[2][0]));
        let noise = Added::ppm(&before, &after).size();
        let beside = Rounds {
            native: time(|round| round[0][0].midpoint(round[2][0])),
            library: time(|round| round[1][0]),
        };
        let others = time(|[_, [time, others], _]| others * 1_000_000 / (*time).max(1));
        let remark = format!("noise {noise} ppm, its threads {} ppm of a core", median(&others));
        if self.has_goal {
            PROGRAM.judge_beside(self.what, &beside, noise, &remark);
        } else {
            PROGRAM.tell_beside(self.what, &beside, &remark);
        }
        Ok(())
    }
}
