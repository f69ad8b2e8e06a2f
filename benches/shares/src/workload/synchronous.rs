//! Kernels that the program waits for, each.

use std::rc::Rc;

use sim_model::Nanos;

use super::{FULL, Workload, kernel};
use crate::process::Process;

/// A kernel longer than any time slice.
pub(crate) const LONG: Workload = Workload {
    name: "100 ms, synchronised",
    longest: Nanos::from_millis(100),
    concurrent: false,
    idles: false,
    start: |process| in_step(process, Nanos::from_millis(100)),
};

/// A kernel whose launch and wait are a noticeable part of it.
pub(crate) const SHORT: Workload = Workload {
    name: "100 us, synchronised",
    longest: Nanos::from_micros(100),
    concurrent: false,
    idles: false,
    start: |process| in_step(process, Nanos::from_micros(100)),
};

fn in_step(process: &Rc<Process>, duration: Nanos) {
    process.spawn(move |mut thread| async move {
        let (stream, one) = (thread.process.default_stream(), kernel(&thread.process, duration, FULL));
        loop {
            thread.launch(stream, 1, &[one]).await;
            thread.synchronize(stream).await;
        }
    });
}
