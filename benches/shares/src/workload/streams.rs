//! Kernels that run beside each other.

use sim_model::{Nanos, StreamKind};

use super::{FULL, Workload, kernel};

/// One thread with eight streams, whose kernels fill a quarter of an H100 each.
pub(crate) const EIGHT: Workload = Workload {
    name: "8 streams, 200 us",
    longest: Nanos::from_micros(400),
    concurrent: true,
    idles: false,
    start: |process| {
        process.spawn(|mut thread| async move {
            let streams: Vec<_> = (0..8).map(|_| thread.process.stream(StreamKind::NonBlocking)).collect();
            let one = kernel(&thread.process, Nanos::from_micros(200), FULL / 4);
            loop {
                for (key, stream) in (1..).zip(&streams) {
                    thread.launch(*stream, key, &[one]).await;
                }
            }
        });
    },
};

/// Four threads, each with its own default stream, whose kernels fill half of an H100 each.
pub(crate) const PER_THREAD: Workload = Workload {
    name: "4 threads, own streams, 150 us",
    longest: Nanos::from_micros(300),
    concurrent: true,
    idles: false,
    start: |process| {
        for _ in 0..4 {
            process.spawn(|mut thread| async move {
                let stream = thread.process.stream(StreamKind::Blocking);
                let one = kernel(&thread.process, Nanos::from_micros(150), FULL / 2);
                loop {
                    thread.launch(stream, 1, &[one]).await;
                }
            });
        }
    },
};
