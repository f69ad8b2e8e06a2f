//! Slices as they are seen from outside: whole ones, dead processes, and files that lie.

use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use contract::limits_page::{Entry, Page};
use contract::{Bytes, Percent, Uuid};
use monitor::gpus::{Gpu, Inventory};
use monitor::runs::{Run, Runs};
use monitor::slices::{LastRefusal, Limit, MemoryClass, Slice, SliceProcess, all};
use shared_region::{Member, Refusal, Region};
use tempfile::TempDir;

const GPU: Uuid = Uuid([7; 16]);
const OTHER: Uuid = Uuid([8; 16]);
const MIB: u64 = 1 << 20;
const LIMIT: Bytes = Bytes(1024 * MIB);
/// Where the first slot is in a region's file, and a slot's size.
const SLOTS: u64 = 12_288;
const SLOT: u64 = 128;
/// What a [`member`] was refused.
const REFUSAL: Refusal = Refusal { class: MemoryClass::Linear, bytes: Bytes(2048 * MIB), at: 1_000_000_000 };
/// When the process in a forged slot started.
const FORGED: u64 = 12_345;

/// A user's directories.
struct Home {
    dir: TempDir,
    runs: Runs,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir(dir.path().join("shm")).expect("a directory");
        fs::set_permissions(dir.path(), Permissions::from_mode(0o700)).expect("mode");
        let runs = Runs::open(Some(dir.path())).expect("a private directory");
        Self { dir, runs }
    }

    fn start(&self) -> Run {
        let entry = Entry { memory: Some(LIMIT), cores: Percent::new(30), ..Entry::unlimited(GPU) };
        let run = self.runs.start(&Page::new(vec![entry]).expect("one entry")).expect("a slice");
        run.note_gpus(&[&card()]).expect("a file");
        run
    }

    fn slices(&self) -> Vec<Slice> {
        let (slices, errors) = all(Some(self.dir.path()), &self.dir.path().join("shm"));
        assert!(errors.is_empty(), "{errors:?}");
        // Other tests and other people of this user may have slices where no runtime directory is given.
        slices.into_iter().filter(|slice| slice.region.starts_with(self.dir.path())).collect()
    }

    fn only(&self) -> Slice {
        let [slice] = self.slices().try_into().expect("one slice");
        slice
    }
}

fn card() -> Gpu {
    Gpu { index: 3, uuid: GPU, name: "NVIDIA H100 80GB HBM3".to_owned(), memory: Some(Bytes(81_559 * MIB)) }
}

/// Makes this process a member of the region at `path` that holds 600 MiB, has held 700 and was refused once.
fn member(path: &Path) -> Member {
    let region = Region::open(path).expect("a region");
    let member = region.join().expect("a slot");
    let device = region.device(GPU).expect("room for a GPU");
    member.reserve(device, Bytes(700 * MIB), LIMIT).expect("it fits");
    member.refund(device, Bytes(100 * MIB));
    member.note_overhead(device, Bytes(426 * MIB));
    member.refused(device, REFUSAL);
    member
}

/// Makes a free slot of the region at `path` look used by process `pid`, which nobody vouches for.
fn forge(path: &Path, pid: u64, namespace: u64) {
    let file = OpenOptions::new().read(true).write(true).open(path).expect("a region");
    let is_free = |at: &u64| {
        let mut tenure = [0; 8];
        file.read_exact_at(&mut tenure, *at).expect("readable");
        u64::from_ne_bytes(tenure).is_multiple_of(2)
    };
    let at = (0..64).map(|slot| SLOTS + slot * SLOT).find(is_free).expect("a free slot");
    let words = [1, pid, namespace, FORGED];
    let bytes: Vec<u8> = words.iter().flat_map(|word: &u64| word.to_ne_bytes()).collect();
    file.write_all_at(&bytes, at).expect("written");
}

/// The process in the forged slot.
fn forged(slice: Slice) -> SliceProcess {
    slice.processes.into_iter().find(|process| process.started == FORGED).expect("listed")
}

#[test]
fn a_slice_that_no_process_has_used_is_listed_without_any() {
    let home = Home::new();
    assert_eq!(home.slices(), []);
    let run = home.start();
    let slice = home.only();
    assert_eq!((slice.supervisor, &slice.region), (Some(std::process::id()), &run.region()));
    assert_eq!((slice.processes.len(), slice.fault), (0, None));
    let [gpu] = slice.gpus.try_into().expect("one GPU");
    assert_eq!((gpu.index, gpu.memory, gpu.limit), (Some(3), card().memory, Limit::Bytes(LIMIT)));
    assert_eq!((gpu.name, gpu.cores, gpu.used), (Some(card().name), Percent::new(30), Bytes::ZERO));
}

#[test]
fn what_a_process_holds() {
    let home = Home::new();
    let run = home.start();
    let _member = member(&run.region());
    let slice = home.only();
    assert_eq!(slice.gpus[0].used, Bytes(600 * MIB));
    let [process] = &slice.processes[..] else { panic!("{slice:?}") };
    assert!(process.alive);
    assert_eq!((process.pid, process.own_pid), (Some(std::process::id()), std::process::id()));
    assert!(process.command.as_ref().expect("seen").contains("slices"));
    let last = LastRefusal { at: REFUSAL.at, bytes: REFUSAL.bytes, class: Some(REFUSAL.class) };
    assert_eq!((process.refused_bytes, process.largest_refusal), (REFUSAL.bytes, REFUSAL.bytes));
    assert_eq!((process.last_refusal, process.last_refused_gpu), (Some(last), Some(GPU)));
    let gpu = &slice.gpus[0];
    assert_eq!((gpu.peak, gpu.refusals.total(), gpu.refusals.last), (Bytes(700 * MIB), 1, Some(last)));
    let usage = process.usage[0];
    assert_eq!((usage.used, usage.peak), (Bytes(600 * MIB), Bytes(700 * MIB)));
    assert_eq!((usage.overhead, usage.refused), (Bytes(426 * MIB), 1));
}

#[test]
fn the_dead_are_marked_and_have_no_command() {
    let home = Home::new();
    let run = home.start();
    let _member = member(&run.region());
    let mut child = Command::new("true").spawn().expect("it starts");
    let gone = child.id();
    child.wait().expect("it ends");
    forge(&run.region(), u64::from(gone), own_namespace());
    let slice = home.only();
    assert_eq!(slice.processes.iter().filter(|process| process.alive).count(), 1);
    let dead = forged(slice);
    assert!(!dead.alive);
    assert_eq!((dead.own_pid, dead.pid, dead.command), (gone, None, None));
}

#[test]
fn a_process_id_that_was_given_again_is_not_introduced() {
    let home = Home::new();
    let run = home.start();
    let _member = member(&run.region());
    forge(&run.region(), u64::from(std::process::id()), own_namespace());
    let process = forged(home.only());
    assert_eq!((process.pid, process.command), (None, None));
}

#[test]
fn a_process_of_another_namespace_that_is_not_to_be_seen_has_its_own_id() {
    let home = Home::new();
    let run = home.start();
    drop(member(&run.region()));
    forge(&run.region(), 17, 5);
    let process = forged(home.only());
    assert_eq!((process.pid, process.own_pid), (None, 17));
}

#[test]
fn a_gpu_outside_of_the_slice_has_no_memory_to_give() {
    let home = Home::new();
    let run = home.start();
    let member = member(&run.region());
    Region::open(&run.region()).expect("the same").device(OTHER).expect("room for a GPU");
    let slice = home.only();
    assert_eq!(
        slice.gpus.iter().map(|gpu| gpu.limit).collect::<Vec<_>>(),
        [Limit::Bytes(LIMIT), Limit::Bytes(Bytes::ZERO)]
    );
    assert!(slice.processes[0].usage[1].is_nothing());
    drop(member);
}

#[test]
fn a_broken_slice_is_listed_with_the_reason_and_hides_no_other() {
    let home = Home::new();
    let (broken, whole, pageless) = (home.start(), home.start(), home.start());
    let _member = member(&whole.region());
    drop(member(&broken.region()));
    OpenOptions::new().write(true).open(broken.region()).expect("a file").set_len(9000).expect("cut off");
    fs::write(pageless.limits_dir().join("limits"), "rubbish").expect("a file");
    let slices = home.slices();
    assert_eq!(slices.len(), 3);
    let fault = |run: &Run| {
        let slice = slices.iter().find(|slice| slice.region == run.region()).expect("listed");
        slice.fault.clone()
    };
    assert_eq!(fault(&whole), None);
    assert!(fault(&broken).expect("a reason").contains("is cut off at 9000"));
    assert!(fault(&pageless).expect("a reason").starts_with("limits page "));
}

#[test]
fn a_slice_whose_files_are_no_files_holds_nobody_up() {
    let home = Home::new();
    let (fifos, links, whole) = (home.start(), home.start(), home.start());
    let files = |run: &Run| {
        let dir = run.region().parent().expect("a directory").to_owned();
        [run.limits_dir().join("limits"), dir.join("gpus"), dir.join("region")]
    };
    for file in files(&fifos) {
        let _ = fs::remove_file(&file);
        assert!(Command::new("mkfifo").arg(file).status().expect("it runs").success());
    }
    for file in files(&links) {
        let _ = fs::remove_file(&file);
        std::os::unix::fs::symlink("/dev/zero", file).expect("a link");
    }
    let (sender, listed) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| sender.send(home.slices()).expect("somebody waits"));
        let slices = listed.recv_timeout(std::time::Duration::from_secs(60));
        // A list that waits for a FIFO goes on when somebody opens its other end.
        files(&fifos).iter().for_each(|file| drop(OpenOptions::new().read(true).write(true).open(file)));
        let slices = slices.expect("a list within a minute");
        let fault = |run: &Run| {
            slices.iter().find(|slice| slice.region == run.region()).expect("listed").fault.as_ref()
        };
        assert!(fault(&fifos).expect("a reason").ends_with("limits: it is not a file"), "{slices:?}");
        assert!(fault(&links).expect("a reason").contains("symbolic links"), "{slices:?}");
        assert_eq!(fault(&whole), None);
    });
}

#[test]
fn a_region_full_of_rubbish_is_shown_as_it_is() {
    let home = Home::new();
    let run = home.start();
    drop(member(&run.region()));
    let file = OpenOptions::new().write(true).open(run.region()).expect("a region");
    file.write_all_at(&vec![0xff; shared_region::layout::SIZE - 4096], 4096).expect("written");
    let slice = home.only();
    assert!(slice.processes.iter().all(|process| !process.alive && process.command.is_none()));
    fs::write(run.region(), &fs::read(run.region()).expect("a file")[..9000]).expect("cut off");
    assert!(home.only().fault.expect("a reason").contains("is cut off"));
}

#[test]
fn a_process_that_writes_into_the_account_is_reported() {
    let home = Home::new();
    let run = home.start();
    let _member = member(&run.region());
    assert_eq!(home.only().fault, None);
    let bytes = fs::read(run.region()).expect("a region");
    // Wherever it finds what it holds, it writes that it holds nothing.
    let held = (600 * MIB).to_ne_bytes();
    let file = OpenOptions::new().write(true).open(run.region()).expect("a region");
    let records = (143_360..4_337_664).step_by(64).flat_map(|cell| [cell + 8, cell + 24]);
    for at in records.filter(|at| bytes[*at..*at + 8] == held) {
        file.write_all_at(&[0; 8], at as u64).expect("written");
    }
    let fault = home.only().fault.expect("a reason");
    assert!(
        fault.contains("hold 0 bytes of GPU-07070707-") && fault.contains("and 600 MiB in total"),
        "{fault}"
    );
}

#[test]
fn regions_at_the_default_path_have_their_limits_from_their_processes() {
    let home = Home::new();
    let path =
        home.dir.path().join("shm").join(format!("vgpu-{}-4026531841", rustix::process::geteuid().as_raw()));
    drop(member(&path));
    assert_eq!(home.slices(), [], "nobody uses it any more");
    // No process has such an id.
    forge(&path, 1 << 30, own_namespace());
    assert_eq!(home.slices(), [], "nor do the dead");
    let _member = member(&path);
    fs::write(home.dir.path().join("shm/vgpu-x"), "not a region's name").expect("a file");
    let mut slice = home.only();
    assert_eq!((slice.supervisor, slice.gpus[0].limit, slice.gpus[0].index), (None, Limit::Unknown, None));
    assert!(slice.has_unidentified());
    slice.identify(&Inventory { gpus: vec![card()], broken: Vec::new() });
    assert_eq!((slice.gpus[0].limit, slice.gpus[0].index), (Limit::Unlimited, Some(3)));
}

#[test]
fn a_directory_that_is_not_private_is_an_error_beside_the_slices() {
    let home = Home::new();
    fs::set_permissions(home.dir.path().join("vgpu"), Permissions::from_mode(0o755)).expect("mode");
    let (_, errors) = all(Some(home.dir.path()), &home.dir.path().join("shm"));
    assert_eq!(errors.len(), 1);
    assert!(errors[0].to_string().contains("only this user may use"), "{errors:?}");
}

/// Inode number of this process's PID namespace.
fn own_namespace() -> u64 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self/ns/pid").expect("there").ino()
}
