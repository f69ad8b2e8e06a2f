//! Directories of running slices: made private, found while in use, removed afterwards.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use contract::limits_page::{Entry, Page};
use contract::{Bytes, Percent, Uuid, paths};
use monitor::runs::{ChangeError, Run, Runs, RunsError, change_limits};
use rustix::fs::{FlockOperation, fcntl_lock};
use tempfile::TempDir;

fn page(gib: u64) -> Page {
    let entry = Entry { memory: Some(Bytes(gib << 30)), ..Entry::unlimited(Uuid([7; 16])) };
    Page::new(vec![entry]).expect("one entry")
}

fn runs() -> (TempDir, Runs) {
    let home = tempfile::tempdir().expect("a temporary directory");
    let runs = Runs::at(home.path().join("vgpu")).expect("a new directory");
    (home, runs)
}

/// The directories of slices, in use or not.
fn dirs(home: &TempDir) -> Vec<PathBuf> {
    fs::read_dir(home.path().join("vgpu")).expect("runs").map(|entry| entry.expect("entry").path()).collect()
}

fn dir_of(run: &Run) -> PathBuf {
    run.region().parent().expect("a region is in a directory").to_owned()
}

/// What a supervisor that was killed leaves: its files, and nobody who holds the lock.
fn abandoned(home: &TempDir, name: &str) -> PathBuf {
    let dir = home.path().join("vgpu").join(name);
    fs::create_dir_all(dir.join(paths::RUN_LIMITS_DIR)).expect("directories");
    File::create(dir.join(paths::RUN_LOCK)).expect("lock");
    File::create(dir.join(paths::RUN_REGION)).expect("region");
    fs::write(paths::limits_file(&dir.join(paths::RUN_LIMITS_DIR)), page(1).encode()).expect("page");
    dir
}

#[test]
fn a_slice_has_its_page_before_anything_starts() {
    let (_home, runs) = runs();
    let run = runs.start(&page(3)).expect("a slice");
    let bytes = fs::read(paths::limits_file(&run.limits_dir())).expect("limits");
    assert_eq!(Page::decode(&bytes), Ok(page(3)));
    assert!(!run.region().exists());
}

#[test]
fn everything_of_a_slice_is_private() {
    let (_home, runs) = runs();
    let run = runs.start(&page(3)).expect("a slice");
    let mode = |path: &Path| fs::metadata(path).expect("there").mode() & 0o077;
    let dir = dir_of(&run);
    let base = dir.parent().expect("a directory of slices").to_owned();
    for path in [
        base,
        dir.clone(),
        run.limits_dir(),
        paths::limits_file(&run.limits_dir()),
        dir.join(paths::RUN_LOCK),
    ] {
        assert_eq!(mode(&path), 0, "{}", path.display());
    }
}

/// The slice's name, which its directory has.
fn name_of(dir: &Path) -> paths::RunName {
    paths::RunName::parse(dir.file_name().and_then(|name| name.to_str()).expect("text")).expect("a slice")
}

#[test]
fn the_limits_of_a_running_slice_can_be_changed_and_of_no_other() {
    let home = tempfile::tempdir().expect("a temporary directory");
    fs::set_permissions(home.path(), Permissions::from_mode(0o700)).expect("mode");
    let runs = Runs::open(Some(home.path())).expect("a new directory");
    let change = |name| change_limits(Some(home.path()), name, |_| Ok(page(5)));
    let unknown = paths::RunName { pid: 1, random: 1 };
    assert!(matches!(change(unknown), Err(ChangeError::Unknown)));
    let ended = abandoned(&home, "run-1-00000000000000ff");
    assert!(matches!(change(name_of(&ended)), Err(ChangeError::Ended)));
    let run = runs.start(&page(3)).expect("a slice");
    let changed = change(name_of(&dir_of(&run))).expect("a change");
    assert_eq!((changed.entries(), changed.generation()), (page(5).entries(), 2));
    let bytes = fs::read(paths::limits_file(&run.limits_dir())).expect("limits");
    assert_eq!(Page::decode(&bytes), Ok(changed));
}

#[test]
fn two_who_change_limits_at_once_leave_one_change_whole_and_nobody_sees_half_of_one() {
    const CHANGES: u8 = 40;
    let home = tempfile::tempdir().expect("a temporary directory");
    fs::set_permissions(home.path(), Permissions::from_mode(0o700)).expect("mode");
    let runs = Runs::open(Some(home.path())).expect("a new directory");
    // Every number of a page is the change's own.
    let page = |change: u8| {
        let entry = |gpu: u8| Entry {
            memory: Some(Bytes(u64::from(change) << 20)),
            cores: Percent::new(change),
            ..Entry::unlimited(Uuid([gpu; 16]))
        };
        Page::new((0..8).map(entry).collect()).expect("eight entries")
    };
    let run = runs.start(&page(1)).expect("a slice");
    let name = name_of(&dir_of(&run));
    let change = |changes: Range<u8>| {
        for number in changes {
            change_limits(Some(home.path()), name, |_| Ok(page(number))).expect("a change");
        }
    };
    let seen = || {
        let listed = runs.list().expect("runs").remove(0).page.expect("a page");
        let number = listed.entries()[0].cores.expect("a share").get();
        assert_eq!(listed.entries(), page(number).entries());
        (number, listed.generation())
    };
    thread::scope(|scope| {
        let writers = [0, CHANGES].map(|first| scope.spawn(move || change(first + 2..first + 2 + CHANGES)));
        while !writers.iter().all(thread::ScopedJoinHandle::is_finished) {
            seen();
        }
    });
    let (last, generation) = seen();
    assert!(last == CHANGES + 1 || last == 2 * CHANGES + 1, "{last}");
    assert_eq!(generation, 1 + 2 * u64::from(CHANGES));
}

#[test]
fn a_slice_is_live_until_it_is_dropped() {
    let (home, runs) = runs();
    let first = runs.start(&page(1)).expect("a slice");
    let second = runs.start(&page(2)).expect("a slice");
    let live = runs.live().expect("readable");
    assert_eq!(live.len(), 2);
    assert!(live.iter().all(|run| run.name.pid == std::process::id()));
    drop(first);
    assert_eq!(runs.live().expect("readable").into_iter().map(|run| run.page).collect::<Vec<_>>(), [page(2)]);
    drop(second);
    assert_eq!(dirs(&home), Vec::<PathBuf>::new());
}

#[test]
fn what_a_killed_supervisor_left_is_not_live_and_goes_with_the_next_start() {
    let (home, runs) = runs();
    let left = abandoned(&home, "run-4194304-00000000000000ff");
    let empty = home.path().join("vgpu/run-1-0000000000000001");
    fs::create_dir(&empty).expect("a directory without its files");
    assert_eq!(runs.live().expect("readable"), []);
    let run = runs.start(&page(1)).expect("a slice");
    assert!(!left.exists() && !empty.exists());
    assert!(dir_of(&run).exists());
}

#[test]
fn other_files_are_left_alone() {
    let (home, runs) = runs();
    let note = home.path().join("vgpu/note");
    fs::write(&note, "mine").expect("a file");
    let foreign = home.path().join("vgpu/run-01-2");
    fs::create_dir(&foreign).expect("a directory");
    drop(runs.start(&page(1)).expect("a slice"));
    assert!(note.exists() && foreign.exists());
}

#[test]
fn a_damaged_page_does_not_hide_the_other_slices() {
    let (_home, runs) = runs();
    let damaged = runs.start(&page(1)).expect("a slice");
    let _whole = runs.start(&page(2)).expect("a slice");
    fs::write(paths::limits_file(&damaged.limits_dir()), "nonsense").expect("damage");
    assert_eq!(runs.live().expect("readable").len(), 1);
}

/// Waits until `condition` holds.
fn eventually(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(120), "it never came");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A process that holds a lock on `region` until it is killed, as one does that uses the slice.
struct Holder(Child);

impl Holder {
    fn of(region: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "lock_holder", "--ignored", "--nocapture"])
            .env("REGION", region)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a second process");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        lines.map_while(Result::ok).find(|line| line == "locked").expect("the lock is free");
        Self(child)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it ends");
    }
}

#[test]
#[ignore = "the second process of other tests"]
fn lock_holder() {
    let Some(region) = std::env::var_os("REGION") else { return };
    let file = OpenOptions::new().read(true).write(true).open(region).expect("a region");
    fcntl_lock(&file, FlockOperation::LockExclusive).expect("a lock");
    println!("\nlocked");
    thread::park();
}

#[test]
fn a_command_keeps_its_slice_when_the_supervisor_is_killed() {
    let (home, runs) = runs();
    let left = abandoned(&home, "run-4194304-00000000000000ff");
    let command = Holder::of(&left.join(paths::RUN_REGION));
    assert_eq!(runs.live().expect("readable").len(), 1);
    let _other = runs.start(&page(2)).expect("a slice");
    assert!(left.exists());
    drop(command);
    assert_eq!(runs.live().expect("readable").len(), 1);
    let _third = runs.start(&page(2)).expect("a slice");
    assert!(!left.exists());
}

#[test]
fn a_command_keeps_its_slice_when_the_supervisor_ends_first() {
    let (home, runs) = runs();
    let run = runs.start(&page(1)).expect("a slice");
    File::create(run.region()).expect("a region");
    let command = Holder::of(&run.region());
    drop(run);
    assert_eq!(runs.live().expect("readable").len(), 1);
    drop(command);
    // Another test's child has a copy of every descriptor, the lock's too, until it runs its own program.
    eventually(|| runs.live().expect("readable").is_empty());
    drop(runs.start(&page(1)).expect("a slice"));
    assert_eq!(dirs(&home), Vec::<PathBuf>::new());
}

#[test]
fn a_directory_of_others_is_refused() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let open = home.path().join("open");
    fs::create_dir(&open).expect("a directory");
    fs::set_permissions(&open, Permissions::from_mode(0o755)).expect("mode");
    let link = home.path().join("link");
    symlink(home.path(), &link).expect("a link");
    let file = home.path().join("file");
    File::create(&file).expect("a file");
    for path in [open, link, file] {
        let error = Runs::at(path.clone()).expect_err("not private");
        assert!(matches!(error, RunsError::NotPrivate { .. }));
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
    }
}

#[test]
fn a_missing_parent_is_named() {
    let error = Runs::at(PathBuf::from("/nowhere/vgpu")).expect_err("no parent").to_string();
    assert!(error.starts_with("/nowhere/vgpu: "), "{error}");
}

#[test]
fn the_runtime_directory_is_used_only_when_nobody_else_may_write_it() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let own = home.path().join("own");
    fs::create_dir(&own).expect("a directory");
    fs::set_permissions(&own, Permissions::from_mode(0o700)).expect("mode");
    Runs::open(Some(&own)).expect("a private directory");
    assert!(own.join("vgpu").is_dir());

    let shared = home.path().join("shared");
    fs::create_dir(&shared).expect("a directory");
    fs::set_permissions(&shared, Permissions::from_mode(0o777)).expect("mode");
    Runs::open(Some(&shared)).expect("the fallback");
    assert!(!shared.join("vgpu").exists());
}
