//! What the library's own threads cost the processes of a container.

use crate::goal::{Goal, POLLING_BUSY, POLLING_IDLE};
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
    for (goal, work) in [(&POLLING_IDLE, Work::Rest), (&POLLING_BUSY, Work::Toil)] {
        print_goal(subject, goal, work)?;
    }
    Ok(())
}

fn print_goal(subject: &Subject, goal: &Goal, work: Work) -> Result<()> {
    goal.print();
    let (mut native, mut library) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        native.push(watched(subject, Setting::Native, work)?);
        library.push(watched(subject, Setting::Shared, work)?);
    }
    let of = |measure: fn(&Share) -> u64| {
        [&native, &library].map(|rounds| rounds.iter().map(measure).collect::<Vec<_>>())
    };
    let [others, others_library] = of(|share| share.others);
    goal.judge("its threads", &others, &others_library);
    let [whole, whole_library] = of(|share| share.whole);
    goal.tell("all threads", &whole, &whole_library);
    Ok(())
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
