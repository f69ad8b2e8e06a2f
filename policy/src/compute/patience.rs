//! How long one launch may be held back, whatever it waits for.

use super::Nanos;
use super::finish::WAIT_MAX;

/// The time that is left to a launch which waits for a gate, and then for its time: [`WAIT_MAX`] for both, from when it first
/// had to wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Patience(Option<Nanos>);

impl Patience {
    /// Until when who waits at `now` waits at most.
    pub fn until(&mut self, now: Nanos) -> Nanos {
        *self.0.get_or_insert_with(|| now.saturating_add(WAIT_MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_waited_for_a_gate_waits_the_less_for_the_rest() {
        let now = Nanos::from_secs(5);
        let mut patience = Patience::default();
        assert_eq!(patience.until(now), now.saturating_add(WAIT_MAX));
        let later = now.saturating_add(Nanos::from_millis(1_500));
        assert_eq!(patience.until(later), now.saturating_add(WAIT_MAX));
    }
}
