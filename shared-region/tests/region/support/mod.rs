//! Regions in temporary directories, and processes that play a part in them.

mod overlay_parts;
mod parts;
mod poor_parts;
mod role;

use std::io::ErrorKind;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use contract::{Bytes, Uuid};
pub(crate) use role::{Part, Role};
use shared_region::{DeviceIndex, Region};

/// The GPU that most tests use.
pub(crate) const GPU: Uuid = Uuid([7; 16]);
/// What its users may hold together.
pub(crate) const LIMIT: Bytes = Bytes(1 << 30);

/// A directory that ends with the test.
pub(crate) struct Directory(PathBuf);

impl Directory {
    /// A new directory in memory.
    pub(crate) fn new() -> Self {
        Self::inside(Path::new("/dev/shm"))
    }

    /// A new directory on the disk that the build uses.
    pub(crate) fn on_disk() -> Self {
        Self::inside(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    fn inside(parent: &Path) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("vgpu-test-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Self(path),
                // A run that was killed had this process id once.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => panic!("{}: {error}", path.display()),
            }
        }
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// A path in it for a region.
    pub(crate) fn region(&self) -> PathBuf {
        self.0.join("region")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The region at `path`, which is fine.
pub(crate) fn open(path: &Path) -> Region {
    Region::open(path).unwrap()
}

/// The entry of [`GPU`] in a region that knows no other.
pub(crate) fn only_gpu() -> DeviceIndex {
    DeviceIndex::new(0).unwrap()
}

/// Locks one byte of the region's file through a description of its own, as long as the value lives.
pub(crate) fn lock_byte(path: &Path, byte: u64) -> std::fs::File {
    let file = std::fs::File::options().read(true).write(true).open(path).unwrap();
    // SAFETY: all zero is a valid `flock`.
    let mut lock: libc::flock = unsafe { core::mem::zeroed() };
    lock.l_type = libc::c_short::try_from(libc::F_WRLCK).unwrap();
    lock.l_start = i64::try_from(byte).unwrap();
    lock.l_len = 1;
    // SAFETY: the descriptor is open, and `lock` is live for the call.
    let status = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) };
    assert_eq!(status, 0, "{}", std::io::Error::last_os_error());
    file
}

/// Waits until `done`, which is a matter of milliseconds; fails after a minute.
pub(crate) fn until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}: not within a minute");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Says why a test shows nothing here.
pub(crate) fn skip(test: &str, why: &str) {
    eprintln!("skipped: {test}: {why}");
}

/// The numbers of a test that must be the same in every run. (xorshift64*)
pub(crate) struct Random(pub u64);

impl Random {
    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end
    }
}
