//! Whether anybody uses a region, asked without mapping it and without taking a lock that a member may want.

use std::io;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::Errno;

use crate::lock::is_any_locked;

/// Whether a process holds a slot of the region at `path`, or is about to; `false` when there is no file.
///
/// # Errors
/// It cannot be told: something else than a file is there, or the system does not say.
pub fn is_in_use(path: &Path) -> io::Result<bool> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match open(path, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(false),
        result => result?,
    };
    if FileType::from_raw_mode(fstat(&file)?.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("it is not a file"));
    }
    // Every lock that there is in such a file belongs to somebody who uses it.
    Ok(is_any_locked(&file, 0..i64::MAX.unsigned_abs())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Region;

    #[test]
    fn a_region_is_in_use_as_long_as_it_has_a_member() {
        let path = std::env::temp_dir().join(format!("vgpu-usage-{}", std::process::id()));
        assert!(!is_in_use(&path).unwrap());
        let region = Region::open_shared(&path).unwrap();
        assert!(!is_in_use(&path).unwrap());
        let member = region.join().unwrap();
        assert!(is_in_use(&path).unwrap());
        drop(member);
        assert!(!is_in_use(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_link_that_somebody_planted_is_not_followed() {
        let path = std::env::temp_dir().join(format!("vgpu-usage-link-{}", std::process::id()));
        std::os::unix::fs::symlink("/etc/hostname", &path).unwrap();
        assert!(is_in_use(&path).is_err());
        std::fs::remove_file(&path).unwrap();
    }
}
