//! Labels for a machine with SELinux: a container may use only files of a type that is meant for containers.

use std::ffi::CStr;
use std::fs;
use std::io;
use std::path::Path;

use rustix::fs::{XattrFlags, lsetxattr};
use rustix::io::Errno;

use crate::folder::named;

const ATTRIBUTE: &CStr = c"security.selinux";

/// The type that every container may use, at the level that all of them dominate: so a container of any category may, and who is
/// kept from another's files is kept by mounts and modes.
const CONTAINER_FILE: &[u8] = b"system_u:object_r:container_file_t:s0\0";

/// There while SELinux is on, also where it only warns. Not to be seen in every container.
const SWITCHED_ON: &str = "/sys/fs/selinux/enforce";

/// What a process runs as, for all modules that say so: `user:role:type:level` where that is SELinux.
const RUNS_AS: &str = "/proc/self/attr/current";

/// Whether files have to be labelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels {
    are_needed: bool,
}

impl Labels {
    /// As this machine needs them.
    #[must_use]
    pub fn of_machine() -> Self {
        let runs_as = fs::read_to_string(RUNS_AS).unwrap_or_default();
        Self { are_needed: Path::new(SWITCHED_ON).exists() || is_context(&runs_as) }
    }

    /// Lets containers use what is at `path`, as far as SELinux is concerned.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn open_to_containers(self, path: &Path) -> io::Result<()> {
        if !self.are_needed {
            return Ok(());
        }
        match lsetxattr(path, ATTRIBUTE, CONTAINER_FILE, XattrFlags::empty()) {
            // A file system without labels has one for all of it, which whoever mounts it chooses.
            Ok(()) | Err(Errno::NOTSUP) => Ok(()),
            Err(error) => Err(named(path, io::Error::other(format!("it cannot be labelled: {error}")))),
        }
    }
}

/// AppArmor's names of profiles have no colons.
fn is_context(text: &str) -> bool {
    text.split(':').count() >= 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::lgetxattr;
    use std::os::unix::fs::symlink;

    fn label(path: &Path) -> Option<Vec<u8>> {
        let mut bytes = vec![0; 256];
        let length = lgetxattr(path, ATTRIBUTE, &mut bytes[..]).ok()?;
        Some(bytes[..length].to_vec())
    }

    #[test]
    fn what_containers_use_gets_their_type_and_links_are_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let (file, link) = (place.path().join("file"), place.path().join("link"));
        fs::write(&file, "").unwrap();
        symlink(&file, &link).unwrap();
        let before = label(&file);
        if let Err(error) = (Labels { are_needed: true }).open_to_containers(&link) {
            println!("skipped: {error}: this takes CAP_SYS_ADMIN");
            return;
        }
        assert_eq!(label(&file), before);
        (Labels { are_needed: true }).open_to_containers(&file).unwrap();
        if let Some(label) = label(&file) {
            assert_eq!(label, CONTAINER_FILE);
        }
        (Labels { are_needed: false }).open_to_containers(Path::new("/nowhere")).unwrap();
        let error = (Labels { are_needed: true }).open_to_containers(Path::new("/nowhere")).unwrap_err();
        assert!(error.to_string().starts_with("/nowhere: it cannot be labelled"), "{error}");
    }

    #[test]
    fn a_context_is_told_from_a_profile_of_apparmor() {
        assert!(is_context("system_u:system_r:container_t:s0:c1,c2\0"));
        for other in ["", "unconfined\n", "cri-containerd.apparmor.d (enforce)\n"] {
            assert!(!is_context(other), "{other}");
        }
    }
}
