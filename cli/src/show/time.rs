//! When something happened.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock(pub(crate) u64);

/// What the clock shows.
pub(crate) fn now() -> Clock {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Clock(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

/// How long before `now` something happened, roughly. A time that has not come yet is a clock that was set, or a lie.
pub(crate) fn ago(then: u64, now: Clock) -> String {
    let Some(nanos) = now.0.checked_sub(then) else { return "in the future".to_owned() };
    let seconds = Duration::from_nanos(nanos).as_secs();
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// How long something lasted, roughly.
pub(crate) fn lasted(time: Duration) -> String {
    let (seconds, millis) = (time.as_secs(), time.as_millis());
    match seconds {
        0 => format!("{millis} ms"),
        1..60 => format!("{seconds}.{} s", time.subsec_millis() / 100),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_the_unit_that_fits() {
        let second = 1_000_000_000;
        let table =
            [(0, "0 s ago"), (59, "59 s ago"), (61, "1 min ago"), (7300, "2 h ago"), (200_000, "2 d ago")];
        for (seconds, text) in table {
            assert_eq!(ago(0, Clock(seconds * second)), text);
        }
        assert_eq!(ago(2, Clock(1)), "in the future");
    }

    #[test]
    fn lengths_in_the_unit_that_fits() {
        let table = [(0, "0 ms"), (999, "999 ms"), (12_345, "12.3 s"), (90_000, "1 min"), (7_300_000, "2 h")];
        for (millis, text) in table {
            assert_eq!(lasted(Duration::from_millis(millis)), text);
        }
    }
}
