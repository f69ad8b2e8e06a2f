//! What has to be so for the agent to be ready, each under a name, with the reason where it is not.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use daemon::http::pages::State;

/// All conditions. Ready is who fulfils every one. Copies are the same conditions.
#[derive(Clone, Debug, Default)]
pub struct Conditions(Arc<Mutex<BTreeMap<&'static str, State>>>);

/// One condition, for the part of the agent that knows of it.
#[derive(Clone, Debug)]
pub struct Condition {
    all: Conditions,
    name: &'static str,
}

impl Conditions {
    /// Adds the condition `name`, small letters and `-`. Until somebody sets it, it is not fulfilled.
    #[must_use]
    pub fn add(&self, name: &'static str) -> Condition {
        self.states().insert(name, Err("not known yet".to_owned()));
        Condition { all: self.clone(), name }
    }

    /// Every condition by name.
    #[must_use]
    pub fn all(&self) -> BTreeMap<&'static str, State> {
        self.states().clone()
    }

    fn states(&self) -> MutexGuard<'_, BTreeMap<&'static str, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Condition {
    /// Says how it is now. A change is written to the log.
    pub fn set(&self, state: State) {
        let before = self.all.states().insert(self.name, state.clone());
        match state {
            state if before.as_ref() == Some(&state) => {}
            Ok(()) => tracing::info!(condition = self.name, "fulfilled"),
            Err(reason) => tracing::warn!(condition = self.name, reason, "not fulfilled"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_not_fulfilled_before_somebody_says_so() {
        let conditions = Conditions::default();
        let (kubelet, cdi) = (conditions.add("kubelet"), conditions.add("cdi"));
        assert!(conditions.all().values().all(Result::is_err));
        kubelet.set(Ok(()));
        cdi.set(Err("the runtime has it switched off".to_owned()));
        let all = conditions.all();
        assert_eq!(all["kubelet"], Ok(()));
        assert_eq!(all["cdi"].as_ref().unwrap_err(), "the runtime has it switched off");
    }
}
