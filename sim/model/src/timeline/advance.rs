//! The course of time: from one event to the next, computed.

use super::stream::Step;
use super::{Fence, Timeline};
use crate::{HostCall, Nanos, StreamId};

impl Timeline {
    /// Lets everything happen that happens until `to`. Going back is not possible: an earlier instant changes nothing.
    pub(crate) fn advance(&mut self, to: Nanos) {
        while let Some(next) = self.next_event().filter(|next| *next <= to) {
            self.run_until(next);
        }
        if to > self.now {
            self.run_until(to);
        }
        for engines in &mut self.engines {
            engines.meter.roll(self.now);
        }
    }

    /// The next instant at which something completes or a device changes hands.
    pub(crate) fn next_event(&self) -> Option<Nanos> {
        self.engines.iter().filter_map(|engines| engines.next_event(self.now)).min()
    }

    /// Runs to an instant before which there is no event.
    fn run_until(&mut self, to: Nanos) {
        let from = self.now;
        self.now = to;
        let done: Vec<StreamId> = self.engines.iter_mut().flat_map(|engines| engines.run(from, to)).collect();
        for stream in done {
            self.complete(stream);
        }
        self.settle();
    }

    /// Begins everything that may begin now.
    pub(super) fn settle(&mut self) {
        while let Some(id) = self.restless.pop_front() {
            self.settle_stream(id);
        }
    }

    fn settle_stream(&mut self, id: StreamId) {
        while let Some(stream) = self.streams.get(&id) {
            if stream.under_way {
                return;
            }
            let Some(head) = stream.queue.front() else {
                if stream.retiring {
                    self.drop_stream(id);
                }
                return;
            };
            let step = head.step;
            if let Some(held) = head.after.iter().find(|fence| !self.is_passed(**fence)).copied() {
                if let Some(other) = self.streams.get_mut(&held.stream) {
                    other.waiters.push(id);
                }
                return;
            }
            if !self.is_instant(id, step) {
                return;
            }
            self.complete(id);
        }
    }

    /// Begins the head of a stream; true when it is done at once.
    fn is_instant(&mut self, id: StreamId, step: Step) -> bool {
        let Some(stream) = self.streams.get_mut(&id) else { return false };
        let (process, device) = (stream.process, stream.device);
        stream.under_way = true;
        let now = self.now;
        if let Step::Host(call) = step {
            self.host.reach(process, HostCall { id: call, stream: id });
            return false;
        }
        !self.engines_mut(device).begin(now, process, id, step)
    }

    /// The head of a stream is done: whoever waits for it is looked at again.
    pub(super) fn complete(&mut self, id: StreamId) {
        let Some(stream) = self.streams.get_mut(&id) else { return };
        let Some(head) = stream.queue.pop_front() else { return };
        stream.completed += 1;
        stream.under_way = false;
        let (process, device, fence) =
            (stream.process, stream.device, Fence { stream: id, sequence: stream.completed });
        self.restless.append(&mut std::mem::take(&mut stream.waiters).into());
        self.restless.push_back(id);
        match head.step {
            Step::Record(event) => self.stamp(event, fence),
            Step::Compute { counted: true, .. } => self.engines_mut(device).meter.kernel(process),
            Step::Compute { .. } | Step::Copy { .. } | Step::Wait | Step::Host(_) => {}
        }
    }
}
