//! What the library's own threads cost the processes of a container.

use crate::goal::{POLLING_BUSY, POLLING_IDLE};
use crate::rounds::Rounds;
use crate::start::at_once;
use crate::subject::{Setting, Subject};
use crate::work::Work;
use anyhow::Result;

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
    let (others, whole) = (|share: &Share| share.others, |share: &Share| share.whole);
    POLLING_IDLE.print();
    let idle = rounds(subject, Work::Rest)?;
    POLLING_IDLE.judge("its threads", &idle.figures(others));
    POLLING_IDLE.tell("all threads", &idle.figures(whole));
    POLLING_BUSY.print();
    let busy = rounds(subject, Work::Pace)?;
    POLLING_BUSY.judge("its threads", &busy.figures(others));
    POLLING_BUSY.tell("all threads", &busy.figures(whole));
    let on_a_device = rounds(subject, Work::Toil)?;
    POLLING_BUSY.tell("with answers of driver 550", &on_a_device.figures(others));
    println!(
        "  Driver 550 asks another process for each of its answers, of which an own thread needs some for a batch."
    );
    Ok(())
}

fn rounds(subject: &Subject, work: Work) -> Result<Rounds<Share>> {
    let watched = |setting| watched(subject, setting, work);
    Rounds::of(ROUNDS, || watched(Setting::Native), || watched(Setting::Shared))
}

/// Lets the processes do `work` together.
fn watched(subject: &Subject, setting: Setting, work: Work) -> Result<Share> {
    let mut share = Share { others: 0, whole: 0 };
    for [process, thread] in at_once(subject, setting, work, SECONDS, PROCESSES)? {
        share.whole += process;
        share.others += process.saturating_sub(thread);
    }
    let ppm = |nanoseconds: u64| nanoseconds / (1000 * u64::from(SECONDS));
    Ok(Share { others: ppm(share.others), whole: ppm(share.whole) })
}
