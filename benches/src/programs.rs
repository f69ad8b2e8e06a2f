//! What a whole program takes longer: one with limits that it does not reach.
//!
//! What is looked for is a few thousandths, and that is what two runs of the same program differ by on a machine that does
//! anything else. So each round has the program run natively before and after, and what those two differ by is told and judged as
//! well.

use crate::goal::PROGRAM;
use anyhow::Result;
use benches::rounds::Rounds;
use benches::statistics::{Added, median};
use benches::subject::{Setting, Subject};
use benches::work::Work;

/// Rounds of a line.
const ROUNDS: usize = 15;

/// A program, under what it runs, and how often it does what it does: for about a tenth of a second.
struct Program {
    what: &'static str,
    work: Work,
    setting: Setting,
    count: u32,
    /// Whether the goal is for it. It is not where the device waits for the host: there what an intercepted call costs is the
    /// whole difference, of which rows 1 and 2 are.
    has_goal: bool,
}

const PROGRAMS: [Program; 7] = [
    Program::new("20 us, by eights", Work::Kernels { us: 20, batch: 8 }, 5_600),
    Program::new("200 us, each waited for", Work::Kernels { us: 200, batch: 1 }, 600),
    Program::new("graphs of 20 kernels", Work::Replays { kernels: 20 }, 600),
    Program::new("steps of 200 launches", Work::Steps { launches: 200 }, 32),
    EACH_WAITED_FOR,
    Program { what: "the same without limits", setting: Setting::Unlimited, ..EACH_WAITED_FOR },
    Program {
        has_goal: false,
        ..Program::new("1 us, by two hundreds", Work::Kernels { us: 1, batch: 200 }, 60_000)
    },
];

/// A launch, a wait and the way to the device and back, again and again.
const EACH_WAITED_FOR: Program = Program {
    has_goal: false,
    ..Program::new("20 us, each waited for", Work::Kernels { us: 20, batch: 1 }, 5_000)
};

/// What one took, in nanoseconds: by the clock, and the processor time of the threads that the program knows nothing of.
type Took = [u64; 2];

/// Measures and prints the row.
///
/// # Errors
/// A measured program failed.
pub(crate) fn print(subject: &Subject) -> Result<()> {
    PROGRAM.print();
    PROGRAMS.iter().try_for_each(|program| program.measure(subject))?;
    println!(
        "  Natively each round is measured twice, before and after: noise is what those two differ by, in the median."
    );
    println!("  Where that is more than the goal, the line is inconclusive.");
    Ok(())
}

impl Program {
    const fn new(what: &'static str, work: Work, count: u32) -> Self {
        Self { what, work, setting: Setting::Shared, count, has_goal: true }
    }

    fn measure(&self, subject: &Subject) -> Result<()> {
        let run = |setting| subject.ask::<2>(setting, self.work, self.count);
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
