//! Kernels that are launched as fast as the driver takes them, without a synchronisation.

use std::rc::Rc;

use sim_model::Nanos;

use super::{Dice, FULL, Workload, kernel};
use crate::process::Process;

/// Short kernels: thousands of launches in the queue.
pub(crate) const SHORT: Workload = Workload {
    name: "20 us async",
    longest: Nanos::from_micros(20),
    concurrent: false,
    idles: false,
    start: |process| endless(process, Nanos::from_micros(20)),
};

/// Kernels as long as a neighbour's priority promises something for.
pub(crate) const ONE_MILLI: Workload = Workload {
    name: "1 ms async",
    longest: Nanos::from_millis(1),
    concurrent: false,
    idles: false,
    start: |process| endless(process, Nanos::from_millis(1)),
};

/// Medium kernels: seconds of work in the queue.
pub(crate) const MEDIUM: Workload = Workload {
    name: "2 ms async",
    longest: Nanos::from_millis(2),
    concurrent: false,
    idles: false,
    start: |process| endless(process, Nanos::from_millis(2)),
};

/// A kernel that a cooperative launch starts: it has the whole card.
pub(crate) const COOPERATIVE: Workload = Workload {
    name: "5 ms cooperative",
    longest: Nanos::from_millis(5),
    concurrent: false,
    idles: false,
    start: |process| endless(process, Nanos::from_millis(5)),
};

/// Long kernels, one after another, that nobody has seen before.
pub(crate) const NEVER_SEEN: Workload = Workload {
    name: "100 ms async",
    longest: Nanos::from_millis(100),
    concurrent: false,
    idles: false,
    start: |process| endless(process, Nanos::from_millis(100)),
};

/// One function with one shape whose time is a throw of the dice.
pub(crate) const MIXED: Workload = Workload {
    name: "30 us or 3 ms, same key",
    longest: Nanos::from_millis(3),
    concurrent: false,
    idles: false,
    start: |process| {
        process.spawn(|mut thread| async move {
            let (stream, mut dice) = (thread.process.default_stream(), Dice(7));
            let micros = [30, 3000].map(Nanos::from_micros);
            let kernels = micros.map(|duration| kernel(&thread.process, duration, FULL));
            loop {
                let one = if dice.roll().is_multiple_of(2) { kernels[0] } else { kernels[1] };
                thread.launch(stream, 1, &[one]).await;
            }
        });
    },
};

fn endless(process: &Rc<Process>, duration: Nanos) {
    process.spawn(move |mut thread| async move {
        let (stream, one) = (thread.process.default_stream(), kernel(&thread.process, duration, FULL));
        loop {
            thread.launch(stream, 1, &[one]).await;
        }
    });
}
