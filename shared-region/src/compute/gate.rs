//! When a slice was last let through its closed gate.

use policy::compute::Nanos;
use policy::compute::gate::LastPass;

use super::update;
use crate::sync::AtomicU64;

/// A [`LastPass`] that processes share.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct GateWord(AtomicU64);

impl GateWord {
    /// Lets one launch through, of those of all threads and processes.
    ///
    /// # Errors
    /// When to ask again, as [`LastPass::pass`] says.
    pub fn pass(&self, now: Nanos) -> Result<(), Nanos> {
        update(&self.0, |word| match LastPass::from_bits(word).pass(now) {
            Ok(passed) => (passed.bits(), Ok(())),
            Err(again) => (word, Err(again)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use policy::compute::gate::STARVATION_PERIOD;

    #[test]
    fn of_many_threads_one_goes_in_a_period() {
        let gate = GateWord::default();
        let passed = std::thread::scope(|scope| {
            let passes = || (1..=5).filter(|at| gate.pass(Nanos::from_secs(*at)).is_ok()).count();
            let threads = [(); 4].map(|()| scope.spawn(passes));
            threads.map(|thread| thread.join().unwrap()).iter().sum::<usize>()
        });
        assert!(passed >= 5, "{passed}");
        let now = Nanos::from_secs(9);
        assert_eq!(gate.pass(now), Ok(()));
        let again = now.saturating_add(STARVATION_PERIOD);
        assert_eq!(gate.pass(now), Err(again));
        assert_eq!(gate.pass(again), Ok(()));
    }
}
