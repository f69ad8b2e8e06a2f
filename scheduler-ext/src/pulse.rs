//! Whether something goes on that has to happen again and again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// When something happened last, by this machine's monotonic clock.
#[derive(Debug)]
pub struct Pulse {
    born: Instant,
    /// In milliseconds after that.
    last: AtomicU64,
}

impl Default for Pulse {
    /// It happens now.
    fn default() -> Self {
        Self { born: Instant::now(), last: AtomicU64::new(0) }
    }
}

impl Pulse {
    /// It happens.
    pub fn beat(&self) {
        self.last.store(self.age(), Ordering::Release);
    }

    /// Whether it happened within `limit`.
    ///
    /// # Errors
    /// For how long it has not.
    pub fn within(&self, limit: Duration) -> Result<(), Duration> {
        let silence = Duration::from_millis(self.age().saturating_sub(self.last.load(Ordering::Acquire)));
        if silence > limit { Err(silence) } else { Ok(()) }
    }

    fn age(&self) -> u64 {
        u64::try_from(self.born.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_is_silent_from_its_last_beat_on() {
        let (pulse, limit) = (Pulse::default(), Duration::from_secs(2));
        tokio::time::advance(limit).await;
        assert_eq!(pulse.within(limit), Ok(()));
        pulse.beat();
        tokio::time::advance(limit).await;
        assert_eq!(pulse.within(limit), Ok(()));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(pulse.within(limit), Err(Duration::from_secs(3)));
    }
}
