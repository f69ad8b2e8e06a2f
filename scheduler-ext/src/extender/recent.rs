//! Something about each of the pods that were heard of last.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use contract::claim::PodUid;

/// More pods than kube-scheduler places at a time. Of others nothing is remembered.
const MOST: usize = 8192;

/// What is remembered of the pods that were heard of last.
#[derive(Debug)]
pub(super) struct Recent<T>(Mutex<Pods<T>>);

#[derive(Debug)]
struct Pods<T> {
    by_uid: HashMap<PodUid, T>,
    /// The first one first.
    order: VecDeque<PodUid>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::new(Pods { by_uid: HashMap::new(), order: VecDeque::new() }))
    }
}

impl<T: Clone> Recent<T> {
    pub(super) fn put(&self, uid: &PodUid, what: T) {
        let mut pods = self.lock();
        if pods.by_uid.insert(uid.clone(), what).is_none() {
            pods.order.push_back(uid.clone());
        }
        while pods.order.len() > MOST {
            if let Some(first) = pods.order.pop_front() {
                pods.by_uid.remove(&first);
            }
        }
    }

    pub(super) fn get(&self, uid: &PodUid) -> Option<T> {
        self.lock().by_uid.get(uid).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Pods<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_are_kept() {
        let pods = Recent::default();
        let uid = |index: usize| -> PodUid { format!("u{index}").parse().unwrap() };
        for index in 0..=MOST {
            pods.put(&uid(index), index);
            pods.put(&uid(index), index + 1);
        }
        assert_eq!([0, 1, MOST].map(|index| pods.get(&uid(index))), [None, Some(2), Some(MOST + 1)]);
    }
}
