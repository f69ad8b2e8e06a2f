//! What a slice's processes do with a GPU's time, as it is seen from outside.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use contract::limits_page::{Entry, Page, SharePolicy};
use contract::{Percent, Permille, Uuid};
use monitor::runs::Runs;
use monitor::slices::{Slice, all};
use policy::compute::trim::Trim;
use policy::compute::{Nanos, Share};
use shared_region::Region;
use tempfile::TempDir;

const GPU: Uuid = Uuid([7; 16]);

fn home() -> (TempDir, Runs) {
    let home = tempfile::tempdir().expect("a temporary directory");
    fs::set_permissions(home.path(), Permissions::from_mode(0o700)).expect("mode");
    let runs = Runs::open(Some(home.path())).expect("a private directory");
    (home, runs)
}

fn only(home: &TempDir) -> Slice {
    let (slices, errors) = all(Some(home.path()), &home.path().join("none"));
    assert!(errors.is_empty(), "{errors:?}");
    // This user may have others, where no runtime directory is given.
    let own: Vec<_> = slices.into_iter().filter(|slice| slice.region.starts_with(home.path())).collect();
    let [slice] = own.try_into().expect("one slice");
    slice
}

#[test]
fn how_much_of_a_gpus_time_somebody_has_is_seen_by_looking_twice() {
    let (home, runs) = home();
    let entry = Entry { cores: Percent::new(30), policy: SharePolicy::Balance, ..Entry::unlimited(GPU) };
    let run = runs.start(&Page::new(vec![entry]).expect("one entry")).expect("a slice");
    let region = Region::open(&run.region()).expect("a region");
    let device = region.device(GPU).expect("an entry");
    let member = region.join().expect("a slot");
    let stats = member.compute(device).expect("a member").stats;
    assert!(!only(&home).computes());
    stats.launched(5, Nanos(1));
    stats.used(Nanos::from_millis(70));
    stats.note_share(Share::from_percent(30).expect("a share"));
    let before = only(&home);
    assert!(before.computes() && !before.processes[0].usage[0].is_nothing());
    assert_eq!((before.gpus[0].policy, before.gpus[0].compute.achieved), (SharePolicy::Balance, None));

    stats.used(Nanos::from_millis(200));
    stats.begin_wait();
    stats.end_wait(Nanos::from_millis(9));
    stats.begin_wait();
    let mut after = only(&home);
    after.compare(&before, Duration::from_secs(1));
    let compute = after.processes[0].usage[0].compute;
    assert_eq!(compute, after.gpus[0].compute);
    assert_eq!((compute.launches, compute.busy, compute.waiting), (5, Duration::from_millis(270), 1));
    assert_eq!((compute.waited, compute.share), (Duration::from_millis(9), Permille::new(300)));
    assert_eq!(compute.achieved, Some(200));

    // What was measured is corrected as what is charged.
    member.compute(device).expect("a member").trim.set_trim(Trim::from_bits(500_000));
    let mut after = only(&home);
    after.compare(&before, Duration::from_secs(1));
    assert_eq!(after.gpus[0].compute.achieved, Some(100));

    // What is less than before is nothing, and no time is none to divide by.
    let mut again = before.clone();
    again.compare(&after, Duration::from_secs(1));
    assert_eq!(again.gpus[0].compute.achieved, Some(0));
    again.compare(&after, Duration::ZERO);
    assert_eq!(again.gpus[0].compute.achieved, None);
}

/// Once it was "0 % / no limit" while the slice had the GPU for itself.
#[test]
fn a_busy_slice_that_nothing_meters_was_said_to_have_nothing() {
    let metered = Entry { cores: Percent::new(100), ..Entry::unlimited(GPU) };
    let unmetered = Entry { policy: SharePolicy::Unlimited, ..metered };
    let table = [
        // No limit, and no metering: at the end of a limit a few launches may still be counted.
        (unmetered, 1000, 0, (Some(1000), None)),
        (unmetered, 1000, 3, (Some(1000), None)),
        (Entry::unlimited(GPU), 1000, 0, (Some(1000), None)),
        // The last that was metered was so under another policy, or it is metered by a limit of the program's own.
        (unmetered, 300, 0, (None, None)),
        (unmetered, 300, 200, (Some(300), Some(200))),
        // All of the GPU's time is a share as well.
        (metered, 1000, 0, (Some(1000), Some(0))),
        (metered, 1000, 1000, (Some(1000), Some(1000))),
    ];
    for (entry, share, busy, expected) in table {
        let (home, runs) = home();
        let run = runs.start(&Page::new(vec![entry]).expect("one entry")).expect("a slice");
        let region = Region::open(&run.region()).expect("a region");
        let device = region.device(GPU).expect("an entry");
        let member = region.join().expect("a slot");
        let stats = member.compute(device).expect("a member").stats;
        stats.launched(5, Nanos(1));
        stats.note_share(Share::from_permille(share).expect("a share"));
        let before = only(&home);
        stats.used(Nanos::from_millis(busy));
        let mut after = only(&home);
        after.compare(&before, Duration::from_secs(1));
        let compute = after.gpus[0].compute;
        let told = (compute.share.map(|share| share.get()), compute.achieved);
        assert_eq!(told, expected, "{entry:?}, {share} in force, {busy} ms");
    }
}
