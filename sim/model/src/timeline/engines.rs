//! The engines of one device and the meter on them.

use super::compute::Compute;
use super::copy::{CopyEngine, transfer_time};
use super::stream::Step;
use crate::meter::Meter;
use crate::{Bytes, DeviceConfig, Direction, Nanos, Permille, ProcessId, StreamId};

/// What runs on one device.
#[derive(Clone, Debug)]
pub(crate) struct Engines {
    compute: Compute,
    /// Carries copies to the device and within it.
    upload: CopyEngine,
    /// Carries copies from the device.
    download: CopyEngine,
    pub(crate) meter: Meter,
    host_bandwidth: Bytes,
    device_bandwidth: Bytes,
    pub(super) queue_depth: usize,
}

impl Engines {
    pub(super) fn new(card: &DeviceConfig, now: Nanos) -> Self {
        Self {
            compute: Compute::new(card.slice),
            upload: CopyEngine::default(),
            download: CopyEngine::default(),
            meter: Meter::new(card.sample_window, now),
            host_bandwidth: card.host_bandwidth,
            device_bandwidth: card.device_bandwidth,
            queue_depth: usize::try_from(card.queue_depth).unwrap_or(usize::MAX),
        }
    }

    /// The step that copies so many bytes. A copy within the device reads and writes its memory.
    pub(super) fn copy(&self, direction: Direction, bytes: Bytes) -> Step {
        let duration = match direction {
            Direction::DeviceToDevice => {
                transfer_time(Bytes(bytes.0.saturating_mul(2)), self.device_bandwidth)
            }
            Direction::HostToDevice | Direction::DeviceToHost => transfer_time(bytes, self.host_bandwidth),
        };
        Step::Copy { direction, duration }
    }

    /// The step that sets so many bytes: it fills the device.
    pub(super) fn memset(&self, bytes: Bytes) -> Step {
        let duration = transfer_time(bytes, self.device_bandwidth);
        Step::Compute { duration, sm: Permille::WHOLE, memory: Permille::WHOLE, counted: false }
    }

    /// Begins a step that occupies an engine; false for one that does not.
    pub(super) fn begin(&mut self, now: Nanos, process: ProcessId, stream: StreamId, step: Step) -> bool {
        match step {
            Step::Compute { duration, sm, memory, .. } => {
                self.compute.admit(now, process, stream, (duration, sm, memory));
            }
            Step::Copy { direction: Direction::DeviceToHost, duration } => {
                self.download.admit(now, stream, duration);
            }
            Step::Copy { duration, .. } => self.upload.admit(now, stream, duration),
            // What stamps an event is the process's own work, which others' slices hold up as well.
            Step::Record(_) => return self.compute.hold(now, process, stream),
            Step::Wait | Step::Host(_) => return false,
        }
        true
    }

    /// The next instant at which something is done or the device changes hands.
    pub(super) fn next_event(&self, now: Nanos) -> Option<Nanos> {
        let events = [self.compute.next_event(now), self.upload.next_event(), self.download.next_event()];
        events.into_iter().flatten().min()
    }

    /// Runs from `from` to `to`, between which there is no event, and says which streams' heads are done.
    pub(super) fn run(&mut self, from: Nanos, to: Nanos) -> Vec<StreamId> {
        if let Some(ran) = self.compute.running() {
            self.meter.busy(ran.process, ran.memory, from, to);
        }
        let mut done = self.compute.run(from, to);
        done.extend(self.upload.run(to));
        done.extend(self.download.run(to));
        done
    }

    /// The least time that what this stream has on an engine still takes.
    pub(super) fn left(&self, now: Nanos, stream: StreamId) -> Option<Nanos> {
        let copying = || self.upload.left(now, stream).or_else(|| self.download.left(now, stream));
        self.compute.left(stream).or_else(copying)
    }

    /// Takes what this stream has on an engine off.
    pub(super) fn remove(&mut self, now: Nanos, stream: StreamId) {
        self.compute.remove(now, stream);
        self.upload.remove(now, stream);
        self.download.remove(now, stream);
    }
}
