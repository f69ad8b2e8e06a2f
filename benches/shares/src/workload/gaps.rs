//! Programs that do not keep the card busy, and never say so by a synchronisation.

use std::rc::Rc;

use sim_model::Nanos;

use super::{FULL, Workload, kernel};
use crate::process::Process;

/// Mostly busy: between the ends of two launches in a row there is idle time that is not the limiter's doing.
pub(crate) const THINKING: Workload = Workload {
    name: "20 us, then 10 us of host",
    longest: Nanos::from_micros(20),
    concurrent: false,
    idles: true,
    start: |process| thinking(process, Nanos::from_micros(20), Nanos::from_micros(27)),
};

/// Mostly idle.
pub(crate) const SPARSE: Workload = Workload {
    name: "200 us, then 300 us of host",
    longest: Nanos::from_micros(200),
    concurrent: false,
    idles: true,
    start: |process| thinking(process, Nanos::from_micros(200), Nanos::from_micros(497)),
};

/// Three seconds of work, ten of none.
pub(crate) const ON_AND_OFF: Workload = Workload {
    name: "2 ms async, on and off",
    longest: Nanos::from_millis(2),
    concurrent: false,
    idles: true,
    start: |process| {
        process.spawn(|mut thread| async move {
            let stream = thread.process.default_stream();
            let one = kernel(&thread.process, Nanos::from_millis(2), FULL);
            loop {
                let stop = thread.process.world.now() + Nanos::from_millis(3000);
                while thread.process.world.now() < stop {
                    thread.launch(stream, 1, &[one]).await;
                }
                thread.synchronize(stream).await;
                thread.process.world.sleep_until(stop + Nanos::from_millis(10_000)).await;
            }
        });
    },
};

/// Launches a kernel of `duration`, then computes for `host` while it runs.
fn thinking(process: &Rc<Process>, duration: Nanos, host: Nanos) {
    process.spawn(move |mut thread| async move {
        let (stream, one) = (thread.process.default_stream(), kernel(&thread.process, duration, FULL));
        loop {
            thread.launch(stream, 1, &[one]).await;
            thread.think(host).await;
        }
    });
}
