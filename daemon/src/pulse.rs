//! Whether something goes on that has to happen again and again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::http::pages::State;

/// When something happened last, by this machine's monotonic clock.
#[derive(Debug)]
pub struct Pulse {
    born: Instant,
    /// In nanoseconds after that.
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
        let silence = Duration::from_nanos(self.age().saturating_sub(self.last.load(Ordering::Acquire)));
        if silence > limit { Err(silence) } else { Ok(()) }
    }

    fn age(&self) -> u64 {
        u64::try_from(self.born.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Loops of a program. Copies are the same loops.
#[derive(Clone, Debug, Default)]
pub struct Pulses(Arc<Mutex<Vec<Loop>>>);

#[derive(Debug)]
struct Loop {
    name: &'static str,
    within: Duration,
    pulse: Arc<Pulse>,
}

impl Pulses {
    /// Watches the loop `name`, which goes round at least once in `within`, from now on.
    #[must_use]
    pub fn watch(&self, name: &'static str, within: Duration) -> Arc<Pulse> {
        let pulse = Arc::<Pulse>::default();
        self.loops().push(Loop { name, within, pulse: Arc::clone(&pulse) });
        pulse
    }

    /// The loops that have not gone round for longer than they may take, and for how long.
    #[must_use]
    pub fn silent(&self) -> Vec<(&'static str, State)> {
        let loops = self.loops();
        let silent = loops.iter().filter_map(|Loop { name, within, pulse }| {
            let silence = pulse.within(*within).err()?;
            Some((*name, Err(format!("its loop has not come round for {} s", silence.as_secs()))))
        });
        silent.collect()
    }

    fn loops(&self) -> MutexGuard<'_, Vec<Loop>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[tokio::test(start_paused = true)]
    async fn a_loop_that_stands_still_is_named_until_it_goes_on() {
        let pulses = Pulses::default();
        let _lively = pulses.watch("lively", Duration::from_secs(3600));
        let stuck = pulses.watch("stuck", Duration::from_secs(60));
        tokio::time::advance(Duration::from_secs(70)).await;
        let said = "its loop has not come round for 70 s".to_owned();
        assert_eq!(pulses.silent(), [("stuck", Err(said))]);
        stuck.beat();
        assert_eq!(pulses.silent(), []);
    }
}
