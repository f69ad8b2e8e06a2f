//! Graphs: one launch, many kernels.

use sim_model::Nanos;

use super::{FULL, Workload, kernel};

/// A graph of forty kernels.
pub(crate) const EIGHT_MILLIS: Workload = Workload {
    name: "8 ms graphs",
    longest: Nanos::from_millis(8),
    concurrent: false,
    idles: false,
    start: |process| {
        process.spawn(|mut thread| async move {
            let stream = thread.process.default_stream();
            let nodes = [kernel(&thread.process, Nanos::from_micros(200), FULL); 40];
            loop {
                thread.launch(stream, 1, &nodes).await;
            }
        });
    },
};
