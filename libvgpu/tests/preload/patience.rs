//! Waiting for what comes by itself.

use std::time::{Duration, Instant};

/// More than anything takes that does come, on any machine.
const TWO_MINUTES: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(10);

/// What `look` finds at last; `what` is said where it never does.
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < TWO_MINUTES, "never: {what}");
        std::thread::sleep(PAUSE);
    }
}
