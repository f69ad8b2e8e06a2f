//! Waiting, with an end.

use std::time::{Duration, Instant};

/// How long anything may take that takes seconds on a machine with nothing else to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// Asks until there is an answer, and returns it.
///
/// # Panics
/// After two minutes, with what `explain` says.
pub fn wait_until<T>(what: &str, ask: impl Fn() -> Option<T>, explain: impl FnOnce() -> String) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < PATIENCE, "waited {} s until {what}\n{}", PATIENCE.as_secs(), explain());
        std::thread::sleep(Duration::from_millis(200));
    }
}
