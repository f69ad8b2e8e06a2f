//! The files of a machine: its socket, and beside it a lock and a log.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::geteuid;

/// How long another process may be at starting or ending a machine before that is an error.
const LOCK_PATIENCE: Duration = Duration::from_secs(60);

/// The longest path of a socket (`sun_path` without its terminator).
const LONGEST_PATH: usize = 107;

/// Where a machine is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) socket: PathBuf,
}

impl Place {
    /// The place at this socket, whose directory is made if it is missing.
    ///
    /// # Errors
    /// One line that names the path and the fix: a path too long for a socket, or a directory of another user.
    pub(crate) fn made(socket: &Path) -> Result<Self, String> {
        let directory = parent(socket)?;
        match DirBuilder::new().mode(0o700).create(&directory) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(format!("directory {}: {error}: set VGPU_SIM_SOCKET", directory.display()))
            }
            _ => Self::existing(socket),
        }
    }

    /// The place at this socket, in a directory that exists.
    ///
    /// # Errors
    /// One line that names the path and the fix, as for [`Place::made`], also for a missing directory.
    pub(crate) fn existing(socket: &Path) -> Result<Self, String> {
        let directory = parent(socket)?;
        let shown = directory.display();
        let found = fs::metadata(&directory);
        let owner = found.map_err(|error| format!("directory {shown}: {error}: set VGPU_SIM_SOCKET"))?.uid();
        let own = geteuid().as_raw();
        if owner != own {
            // Somebody else could have put the socket there.
            let fix = "set VGPU_SIM_SOCKET to one of your own";
            return Err(format!("directory {shown} is owned by user {owner} and not by {own}: {fix}"));
        }
        Ok(Self { socket: absolute(socket)? })
    }

    /// The lock of whoever starts or ends a machine here, not taken.
    pub(crate) fn lock_file(&self) -> Result<File, String> {
        let path = self.beside("lock");
        let opened =
            File::options().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        opened.map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Takes that lock; it is held until the file is closed.
    pub(crate) fn lock(&self) -> Result<File, String> {
        let file = self.lock_file()?;
        let begin = Instant::now();
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(file),
                Err(Errno::AGAIN | Errno::INTR) if begin.elapsed() < LOCK_PATIENCE => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(error) => {
                    return Err(format!(
                        "{}: {error}: another process is starting or ending the machine; end it, or set VGPU_SIM_SOCKET",
                        self.beside("lock").display()
                    ));
                }
            }
        }
    }

    /// What the machine says when something goes wrong in it.
    pub(crate) fn log(&self) -> Result<File, String> {
        let path = self.beside("log");
        let opened = File::options().create(true).append(true).mode(0o600).open(&path);
        opened.map_err(|error| format!("{}: {error}", path.display()))
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut path = self.socket.clone().into_os_string();
        path.push(".");
        path.push(suffix);
        path.into()
    }
}

fn absolute(socket: &Path) -> Result<PathBuf, String> {
    let shown = socket.display();
    let absolute = std::path::absolute(socket).map_err(|error| format!("socket {shown}: {error}"))?;
    if absolute.as_os_str().len() > LONGEST_PATH {
        return Err(format!(
            "socket {shown}: the path is longer than {LONGEST_PATH} bytes: set VGPU_SIM_SOCKET"
        ));
    }
    Ok(absolute)
}

fn parent(socket: &Path) -> Result<PathBuf, String> {
    let absolute = absolute(socket)?;
    let parent =
        absolute.parent().ok_or_else(|| format!("socket {}: give the path of a file", socket.display()))?;
    Ok(parent.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_of_another_user_is_refused() {
        if !geteuid().is_root() {
            let error =
                Place::made(Path::new("/etc/vgpu-sim.sock")).expect_err("root's directory was accepted");
            assert!(error.contains("/etc is owned by user 0"), "{error}");
            return;
        }
        let directory = std::env::temp_dir().join(format!("vgpu-sim-place-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a temporary directory");
        std::os::unix::fs::chown(&directory, Some(12345), None).expect("root may give files away");
        let error = Place::made(&directory.join("sock")).expect_err("a foreign directory was accepted");
        assert!(error.contains("is owned by user 12345 and not by 0: set VGPU_SIM_SOCKET"), "{error}");
        fs::remove_dir(&directory).expect("it is empty");
    }

    #[test]
    fn looking_for_a_machine_makes_no_directory() {
        let missing = std::env::temp_dir().join(format!("vgpu-sim-missing-{}", std::process::id()));
        let error = Place::existing(&missing.join("sock")).expect_err("a missing directory was accepted");
        assert!(error.contains("No such file or directory") && !missing.exists(), "{error}");
    }

    #[test]
    fn a_path_too_long_for_a_socket_is_named() {
        let error =
            Place::made(&Path::new("/tmp").join("x".repeat(120))).expect_err("a long path was accepted");
        assert!(error.contains("longer than 107 bytes"), "{error}");
    }
}
