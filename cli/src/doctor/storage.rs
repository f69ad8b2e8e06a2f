//! Where slices keep their accounts.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use contract::{Bytes, env, paths};
use monitor::runs::Runs;
use rustix::fs::{Access, access, statvfs};

use super::finding::Finding;
use super::place::Place;

/// Bytes of one slice's files: the accounting region and small ones.
const ONE_SLICE: u64 = 5 << 20;
/// Room in which one would not like to start.
const TIGHT: u64 = 4 * ONE_SLICE;

/// `/dev/shm`, where slices are unless a path is given.
pub(super) fn shared_memory(place: &Place) -> Finding {
    const CHECK: &str = "/dev/shm";
    let path = place.file("/dev/shm");
    if let Err(error) = access(&path, Access::WRITE_OK | Access::EXEC_OK) {
        let fix =
            "mount a tmpfs there that users may write (mode 1777), or name another place in XDG_RUNTIME_DIR";
        return Finding::fail(CHECK, std::io::Error::from(error), fix);
    }
    let room = statvfs(&path).map(|system| system.f_bavail.saturating_mul(system.f_frsize));
    let more =
        "remove files, or make it larger (mount -o remount,size=64m /dev/shm; docker run --shm-size=64m)";
    match room {
        Err(error) => Finding::warn(CHECK, std::io::Error::from(error), "look at it with df"),
        Ok(room) if room < ONE_SLICE => Finding::fail(
            CHECK,
            format_args!("{} left, a slice needs {}", human(room), human(ONE_SLICE)),
            more,
        ),
        Ok(room) if room < TIGHT => Finding::warn(CHECK, format_args!("{} left", human(room)), more),
        Ok(room) => Finding::ok(CHECK, format_args!("writable, {} left", human(room))),
    }
}

fn human(bytes: u64) -> String {
    Bytes(bytes).human().to_string()
}

/// The directory of running slices.
pub(super) fn runs(place: &Place) -> Finding {
    const CHECK: &str = "slices' directory";
    let runtime_dir = place.variable("XDG_RUNTIME_DIR").map(PathBuf::from);
    match Runs::open(runtime_dir.as_deref()).and_then(|runs| runs.live()) {
        Ok(live) => Finding::ok(CHECK, format_args!("private to this user, slices running: {}", live.len())),
        Err(error) => Finding::fail(
            CHECK,
            error,
            "put it right as it says, or set XDG_RUNTIME_DIR to a directory of yours",
        ),
    }
}

/// A region of HAMi's library where ours would be.
pub(super) fn foreign_region(place: &Place) -> Option<Finding> {
    let path = PathBuf::from(place.variable(env::REGION)?);
    let mut magic = [0; 4];
    let read = File::open(place.file(&path)).and_then(|mut file| file.read_exact(&mut magic));
    let is_hami = read.is_ok() && i32::from_ne_bytes(magic) == paths::HAMI_MAGIC;
    is_hami.then(|| hami(&path))
}

fn hami(path: &Path) -> Finding {
    Finding::warn(
        "region",
        format_args!("{} belongs to HAMi's library and is left alone", path.display()),
        format_args!(
            "{} is used; better name another path in {}",
            paths::region_beside(path).display(),
            env::REGION
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::super::finding::Status;
    use super::*;
    use std::fs;

    #[test]
    fn a_machine_without_shared_memory() {
        let home = tempfile::tempdir().expect("a temporary directory");
        assert_eq!(shared_memory(&Place::at(home.path(), &[])).status, Status::Fail);
        fs::create_dir_all(home.path().join("dev/shm")).expect("a directory");
        assert_ne!(shared_memory(&Place::at(home.path(), &[])).fix, Some("look at it with df".to_owned()));
    }

    #[test]
    fn hamis_region_in_the_way() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let place = Place::at(home.path(), &[(env::REGION, "/cache")]);
        assert_eq!(foreign_region(&place), None);
        fs::write(home.path().join("cache"), "vgpuregn").expect("a file");
        assert_eq!(foreign_region(&place), None);
        fs::write(home.path().join("cache"), [&paths::HAMI_MAGIC.to_ne_bytes()[..], &[0; 100]].concat())
            .expect("a file");
        let found = foreign_region(&place).expect("it is HAMi's");
        assert_eq!(
            (found.status, found.fix.as_deref()),
            (
                Status::Warn,
                Some("/cache.vgpu is used; better name another path in CUDA_DEVICE_MEMORY_SHARED_CACHE")
            )
        );
    }

    #[test]
    fn a_directory_of_slices_that_others_may_read() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().expect("a temporary directory");
        let dir = home.path().join("vgpu");
        fs::create_dir(&dir).expect("a directory");
        let place = Place::at(Path::new("/"), &[("XDG_RUNTIME_DIR", &home.path().to_string_lossy())]);
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).expect("mode");
        assert_eq!(runs(&place).status, Status::Fail);
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).expect("mode");
        assert_eq!(runs(&place), Finding::ok("slices' directory", "private to this user, slices running: 0"));
    }
}
