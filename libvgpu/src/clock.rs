//! The time of day.

use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970; 0 on a clock set before that.
pub(crate) fn realtime_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
