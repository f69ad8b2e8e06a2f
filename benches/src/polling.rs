//! What the library's own threads cost the processes of a container.

use crate::goal::{POLLING_BUSY, POLLING_IDLE};
use anyhow::Result;
use benches::rounds::Rounds;
use benches::start::{Use, watched};
use benches::subject::{Setting, Subject};
use benches::work::Work;

/// Processes of the container.
const PROCESSES: usize = 8;

/// How long they are watched, in seconds.
const SECONDS: u32 = 3;

/// Rounds, in which native and preloaded take turns.
const ROUNDS: usize = 3;

/// Measures and prints the row.
///
/// # Errors
/// A measured program failed.
pub(crate) fn print(subject: &Subject) -> Result<()> {
    let (others, whole) = (|used: &Use| used.others, |used: &Use| used.whole);
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

fn rounds(subject: &Subject, work: Work) -> Result<Rounds<Use>> {
    let watched = |setting| watched(subject, setting, work, SECONDS, PROCESSES);
    Rounds::of(ROUNDS, || watched(Setting::Native), || watched(Setting::Shared))
}
