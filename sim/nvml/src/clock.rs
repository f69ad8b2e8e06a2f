//! The calendar time that NVML's samples carry, from the machine's monotonic time.

use sim_kernel::Nanos;

/// Relates CLOCK_MONOTONIC, on which the machine runs, to the microseconds since 1970 that NVML speaks.
///
/// Read once a connection, so that a time stamp handed back by a caller means the instant it was taken from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calendar {
    /// Monotonic zero, in nanoseconds since 1970.
    zero: u64,
}

impl Calendar {
    /// As the clocks stand now.
    pub(crate) fn now() -> Self {
        Self { zero: read(libc::CLOCK_REALTIME).saturating_sub(read(libc::CLOCK_MONOTONIC)) }
    }

    /// Microseconds since 1970.
    pub(crate) fn today() -> u64 {
        read(libc::CLOCK_REALTIME) / 1_000
    }

    /// Microseconds since 1970 at this instant, rounded down.
    pub(crate) fn micros(self, instant: Nanos) -> u64 {
        self.zero.saturating_add(instant.0) / 1_000
    }

    /// The last instant that [`Calendar::micros`] shows as `micros`; 0, the first instant there is.
    pub(crate) fn instant(self, micros: u64) -> Nanos {
        Nanos(micros.saturating_mul(1_000).saturating_add(999).saturating_sub(self.zero))
    }
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes, and both clocks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_stamp_excludes_the_sample_it_came_from() {
        let calendar = Calendar { zero: 1_700_000_000_123_456_789 };
        for nanos in [0, 1, 210, 211, 212, 999, 1_000, 166_666_667] {
            let since = calendar.instant(calendar.micros(Nanos(nanos)));
            assert!(since >= Nanos(nanos), "{nanos}");
            assert!(since < Nanos(nanos + 1_000), "{nanos}");
        }
    }

    #[test]
    fn zero_asks_for_everything() {
        assert_eq!(Calendar::now().instant(0), Nanos(0));
    }

    #[test]
    fn the_calendar_is_todays() {
        let before = Calendar::today();
        let now = Calendar::now().micros(Nanos(read(libc::CLOCK_MONOTONIC)));
        // The two clocks are read one after the other.
        assert!(now + 1_000_000 > before && now < before + 60_000_000);
    }
}
