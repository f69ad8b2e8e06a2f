//! Whether the agent's loops still go round.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The loops that are watched. Copies are the same loops.
#[derive(Clone, Debug, Default)]
pub struct Pulses(Arc<Mutex<Vec<Pulse>>>);

#[derive(Debug)]
struct Pulse {
    name: &'static str,
    within: Duration,
    last: Instant,
}

/// One loop's.
#[derive(Clone, Debug)]
pub struct Beat {
    all: Pulses,
    place: usize,
}

impl Pulses {
    /// Watches the loop `name`, which goes round at least once in `within`, from now on.
    #[must_use]
    pub fn watch(&self, name: &'static str, within: Duration) -> Beat {
        let mut pulses = self.pulses();
        pulses.push(Pulse { name, within, last: Instant::now() });
        Beat { all: self.clone(), place: pulses.len() - 1 }
    }

    /// The loops that have not gone round for longer than they may take, with how long that is.
    #[must_use]
    pub fn silent(&self) -> Vec<(&'static str, Duration)> {
        let pulses = self.pulses();
        let silent = pulses.iter().map(|pulse| (pulse, pulse.last.elapsed()));
        silent
            .filter(|(pulse, since)| *since > pulse.within)
            .map(|(pulse, since)| (pulse.name, since))
            .collect()
    }

    fn pulses(&self) -> MutexGuard<'_, Vec<Pulse>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Beat {
    /// The loop has come round.
    pub fn mark(&self) {
        if let Some(pulse) = self.all.pulses().get_mut(self.place) {
            pulse.last = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_stands_still_is_named_until_it_goes_on() {
        let pulses = Pulses::default();
        let _lively = pulses.watch("lively", Duration::from_secs(3600));
        let stuck = pulses.watch("stuck", Duration::ZERO);
        std::thread::sleep(Duration::from_millis(2));
        let names = |pulses: &Pulses| pulses.silent().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(&pulses), ["stuck"]);
        pulses.pulses()[1].within = Duration::from_secs(3600);
        stuck.mark();
        assert!(names(&pulses).is_empty());
    }
}
