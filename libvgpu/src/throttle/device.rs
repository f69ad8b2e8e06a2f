//! One device, as far as this process launches on it under a limit.

use super::events::{Around, Event, Pools};
use super::trim::Trimmer;
use crate::clock;
use crate::state::{Device, Member};
use policy::compute::{Nanos, Share};
use shared_region::compute::Compute;
use tracker::launches::{Admission, Lease, Terms, Throttle, Work};

/// What is known of this process's launches on a device.
pub(super) struct Metered {
    pub(super) device: &'static Device,
    /// What the processes of the slice share of it.
    pub(super) shared: Compute<'static>,
    pub(super) throttle: Throttle<Event>,
    pub(super) pools: Pools,
    trimmer: Trimmer,
}

impl Metered {
    pub(super) fn new(device: &'static Device, shared: Compute<'static>) -> Self {
        Self {
            device,
            shared,
            throttle: Throttle::default(),
            pools: Pools::default(),
            trimmer: Trimmer::default(),
        }
    }

    /// Whether launches on the device are to be metered now.
    #[inline]
    pub(super) fn is_limited(&self) -> bool {
        self.device.limit.is_metered()
    }

    /// The share of the device's time now in force. Where somebody shares that out, never quite all of it, so that it can be
    /// taken back at once.
    pub(super) fn share(&self) -> Share {
        let share = self.device.limit.share();
        if self.device.limit.is_shared_out() { share.min(Share::PACED) } else { share }
    }

    /// What is in force now.
    pub(super) fn terms(&self) -> Terms {
        let share = self.share();
        self.shared.stats.note_share(share);
        Terms { share, trim: self.shared.trim.trim(), is_shared_out: self.device.limit.is_shared_out() }
    }

    /// Asks to launch `work`.
    #[inline]
    pub(super) fn admit<'t>(
        &'t self,
        lease: &'t mut Lease<Event>,
        work: Work,
        around: &mut Around<'_>,
    ) -> Admission<'t, Event> {
        self.throttle.admit(lease, work, || self.terms(), self.shared.finish, around)
    }

    /// Has the meter come if something is under way that it does not know of. Costs a load.
    #[inline]
    pub(super) fn see_to_it(&self, member: &'static Member) {
        if self.throttle.needs_poll() {
            member.throttles.meter.call(member);
        }
    }

    /// Looks how far the device is, for the meter. When to look again; `None` while nothing is under way.
    pub(super) fn poll(&self, now: Nanos) -> Option<Nanos> {
        let next = self.throttle.poll(now, &self.pools, self.shared.finish, self.terms());
        self.publish(now);
        next
    }

    /// Compares what was metered with what NVML reports, if it is time.
    pub(super) fn trim(&self, member: &'static Member) {
        // Others go on metering: what they have by now belongs to no earlier time.
        self.trimmer.consider(self, member, clock::monotonic(), self.shared.trim.metered());
    }

    /// Remembers what all processes of the slice had metered by `now`, for a thread that waits for its turn.
    pub(super) fn glance(&self, now: Nanos) {
        self.trimmer.glance(now, self.shared.trim.metered());
    }

    /// Looks how far the device is, for a thread that waits for a measurement.
    pub(super) fn look(&self) -> Option<Nanos> {
        self.throttle.look(clock::monotonic(), &self.pools, self.shared.finish, self.terms())
    }

    /// Adds what has happened to what everybody can see.
    fn publish(&self, now: Nanos) {
        let counts = self.throttle.take_counts();
        if counts.launches > 0 {
            self.shared.stats.launched(counts.launches, now);
        }
        if counts.busy > Nanos::ZERO {
            self.shared.stats.used(counts.busy);
            self.shared.trim.meter(counts.busy);
        }
    }
}
