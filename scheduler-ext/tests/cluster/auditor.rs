//! Looks again and again whether pods hold more than nodes have.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use kube_harness::product::audit;

const PAUSE: Duration = Duration::from_millis(200);

/// Does something while the auditor looks. Fails when it has found anything, or could never look.
pub(crate) fn audited<T>(body: impl FnOnce() -> T) -> T {
    let (looks, found, is_over) =
        (AtomicU32::new(0), Mutex::new(BTreeSet::<String>::new()), AtomicBool::new(false));
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                // While the API server is away, nothing is seen.
                if let Some(faults) = audit::faults() {
                    found.lock().expect("nobody panics with it").extend(faults);
                    looks.fetch_add(1, Ordering::Relaxed);
                }
                std::thread::sleep(PAUSE);
            }
        });
        let _end = End(&is_over);
        body()
    });
    let (looks, found) = (looks.into_inner(), found.into_inner().expect("nobody panics with it"));
    println!("the auditor looked {looks} times");
    assert!(found.is_empty() && looks > 0, "{looks} looks: {found:#?}");
    result
}

/// Ends the looking, however the test ends.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
