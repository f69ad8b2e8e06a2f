//! Handles: what the caller holds instead of an object.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The next handle. All kinds share one sequence, so that a handle of one kind is never one of another kind.
///
/// The first page is left out: streams 1 and 2 have a meaning of their own, and a handle should look like none.
static NEXT: AtomicUsize = AtomicUsize::new(0x1000);

/// Objects by handle. A handle is a number and never an address, so a stale or invented one is found out.
#[derive(Debug)]
pub(crate) struct Handles<T>(Mutex<HashMap<usize, Arc<T>>>);

impl<T> Default for Handles<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Handles<T> {
    /// Keeps an object that is made knowing its own handle.
    pub(crate) fn insert_with(&self, make: impl FnOnce(usize) -> T) -> Arc<T> {
        let handle = NEXT.fetch_add(0x10, Ordering::Relaxed);
        let object = Arc::new(make(handle));
        lock(&self.0).insert(handle, Arc::clone(&object));
        object
    }

    /// Keeps an object and gives its handle.
    pub(crate) fn insert(&self, object: T) -> usize {
        let mut given = 0;
        self.insert_with(|handle| {
            given = handle;
            object
        });
        given
    }

    /// The object, if the handle is alive.
    pub(crate) fn get(&self, handle: usize) -> Option<Arc<T>> {
        lock(&self.0).get(&handle).cloned()
    }

    /// Any object that satisfies `wanted`.
    pub(crate) fn find(&self, wanted: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        lock(&self.0).values().find(|object| wanted(object)).cloned()
    }

    /// All objects, in no order.
    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        lock(&self.0).values().cloned().collect()
    }

    /// Ends the life of a handle.
    pub(crate) fn remove(&self, handle: usize) -> Option<Arc<T>> {
        lock(&self.0).remove(&handle)
    }

    /// Ends the life of every handle whose object does not satisfy `keep`.
    pub(crate) fn retain(&self, keep: impl Fn(&T) -> bool) {
        lock(&self.0).retain(|_, object| keep(object));
    }
}

/// Locks, also after another thread panicked: every critical section here leaves its data whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_of_two_kinds_never_meet() {
        let (letters, numbers) = (Handles::default(), Handles::default());
        let letter = letters.insert('a');
        let number = numbers.insert(1);
        assert_ne!(letter, number);
        assert!(numbers.get(letter).is_none());
        assert_eq!(letters.get(letter).as_deref(), Some(&'a'));
    }

    #[test]
    fn a_removed_handle_is_dead_and_not_given_again() {
        let handles = Handles::default();
        let first = handles.insert(());
        assert!(handles.remove(first).is_some());
        assert!(handles.get(first).is_none() && handles.remove(first).is_none());
        assert_ne!(handles.insert(()), first);
    }
}
