//! One agent at a time on a node.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use tokio::time::sleep;
use tracing::info;

use crate::folder::{Folder, PRIVATE};

/// The file that the agent keeps locked while it lives.
const FILE: &str = "lock";

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(500);

/// The directory `state`, if no agent uses it, until the file is closed.
///
/// # Errors
/// One does, or as with [`hold`].
pub(crate) fn try_hold(state: &Path) -> io::Result<File> {
    lock(state)?.ok_or_else(|| io::Error::other(format!("an agent is at work in {}", state.display())))
}

/// Waits until no other agent uses the directory `state`, which is made if it is not there. It is this one's until the file is closed.
///
/// # Errors
/// The directory cannot be made, or others may write there.
pub(crate) async fn hold(state: &Path) -> io::Result<File> {
    let mut waits = false;
    loop {
        if let Some(file) = lock(state)? {
            return Ok(file);
        }
        if !waits {
            info!(directory = %state.display(), "another agent is at work; waiting until it has ended");
            waits = true;
        }
        sleep(PAUSE).await;
    }
}

/// `None`: another agent has it. The file is opened anew at each attempt, because whoever leaves the node removes it while he has it.
fn lock(state: &Path) -> io::Result<Option<File>> {
    drop(Folder::open(state, PRIVATE)?);
    let path = state.join(FILE);
    let file = File::options().create(true).truncate(false).write(true).open(&path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(is_at(&path, &file)?.then_some(file)),
        Err(Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether `file` is still what whoever comes next finds at `path`.
fn is_at(path: &Path, file: &File) -> io::Result<bool> {
    let own = file.metadata()?;
    Ok(path.symlink_metadata().is_ok_and(|there| (there.dev(), there.ino()) == (own.dev(), own.ino())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::timeout;

    #[tokio::test]
    async fn a_second_agent_waits_for_the_first_to_end() {
        let directory = tempfile::tempdir().unwrap();
        let first = hold(directory.path()).await.unwrap();
        assert!(timeout(PAUSE * 2, hold(directory.path())).await.is_err());
        let error = try_hold(directory.path()).unwrap_err().to_string();
        assert!(error.starts_with("an agent is at work in "), "{error}");
        drop(first);
        drop(try_hold(directory.path()).unwrap());
        timeout(Duration::from_secs(60), hold(directory.path())).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn who_waited_while_the_node_was_left_keeps_the_next_one_out() {
        let directory = tempfile::tempdir().unwrap();
        let state = directory.path().join("state");
        let leaves = hold(&state).await.unwrap();
        let waits = hold(&state);
        let others = async {
            sleep(PAUSE / 5).await;
            std::fs::remove_dir_all(&state).unwrap();
            drop(leaves);
        };
        let (waited, ()) =
            timeout(Duration::from_secs(60), async { tokio::join!(waits, others) }).await.unwrap();
        let _waited = waited.unwrap();
        assert!(try_hold(&state).is_err());
    }
}
