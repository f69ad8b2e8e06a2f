//! What the library's own threads cost the processes of a container.

use crate::goal::{POLLING_BUSY, POLLING_IDLE};
use crate::start::until_ready;
use crate::subject::{Setting, Subject, numbers};
use crate::work::Work;
use anyhow::Result;
use std::process::Child;

/// Processes of the container.
const PROCESSES: usize = 8;

/// How long they are watched, in seconds.
const SECONDS: u32 = 3;

/// Rounds, in which native and preloaded take turns.
const ROUNDS: usize = 3;

/// Processor time of all processes, in millionths of a core.
struct Share {
    /// Of the threads that the program knows nothing of.
    others: u64,
    whole: u64,
}

/// Measures and prints the row.
///
/// # Errors
/// A measured program failed.
pub(crate) fn print(subject: &Subject) -> Result<()> {
    POLLING_IDLE.print();
    let idle = Rounds::of(subject, Work::Rest)?;
    idle.others(|native, library| POLLING_IDLE.judge("its threads", native, library));
    idle.whole(|native, library| POLLING_IDLE.tell("all threads", native, library));
    POLLING_BUSY.print();
    let busy = Rounds::of(subject, Work::Pace)?;
    busy.others(|native, library| POLLING_BUSY.judge("its threads", native, library));
    busy.whole(|native, library| POLLING_BUSY.tell("all threads", native, library));
    let on_a_device = Rounds::of(subject, Work::Toil)?;
    on_a_device.others(|native, library| POLLING_BUSY.tell("with answers of driver 550", native, library));
    println!(
        "  Driver 550 asks another process for each of its answers, of which an own thread needs some for a batch."
    );
    Ok(())
}

/// What was measured natively, and with the library.
struct Rounds {
    native: Vec<Share>,
    library: Vec<Share>,
}

impl Rounds {
    fn of(subject: &Subject, work: Work) -> Result<Self> {
        let mut rounds = Self { native: Vec::new(), library: Vec::new() };
        for _ in 0..ROUNDS {
            rounds.native.push(watched(subject, Setting::Native, work)?);
            rounds.library.push(watched(subject, Setting::Shared, work)?);
        }
        Ok(rounds)
    }

    fn others(&self, print: impl Fn(&[u64], &[u64])) {
        let of = |rounds: &[Share]| rounds.iter().map(|share| share.others).collect::<Vec<_>>();
        print(&of(&self.native), &of(&self.library));
    }

    fn whole(&self, print: impl Fn(&[u64], &[u64])) {
        let of = |rounds: &[Share]| rounds.iter().map(|share| share.whole).collect::<Vec<_>>();
        print(&of(&self.native), &of(&self.library));
    }
}

/// Lets the processes do `work` together.
fn watched(subject: &Subject, setting: Setting, work: Work) -> Result<Share> {
    let (go, hold) = std::io::pipe()?;
    let mut children = (0..PROCESSES)
        .map(|_| subject.spawn(setting, work, SECONDS, go.try_clone()?.into()))
        .collect::<Result<Vec<Child>>>()?;
    children.iter_mut().try_for_each(until_ready)?;
    // They wait for the end of their common input.
    drop(hold);
    let mut share = Share { others: 0, whole: 0 };
    for child in children {
        let output = child.wait_with_output()?;
        let [process, thread] = numbers(work, setting, output.status.success(), &output.stdout)?;
        share.whole += process;
        share.others += process.saturating_sub(thread);
    }
    let ppm = |nanoseconds: u64| nanoseconds / (1000 * u64::from(SECONDS));
    Ok(Share { others: ppm(share.others), whole: ppm(share.whole) })
}
