//! One agent at a time on a node.

use std::fs::File;
use std::io;
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
    let file = open(state)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).map(|()| file).map_err(|error| match error {
        Errno::WOULDBLOCK => io::Error::other(format!("an agent is at work in {}", state.display())),
        error => error.into(),
    })
}

/// Waits until no other agent uses the directory `state`, which is made if it is not there. It is this one's until the file is closed.
///
/// # Errors
/// The directory cannot be made, or others may write there.
pub(crate) async fn hold(state: &Path) -> io::Result<File> {
    let file = open(state)?;
    let mut waits = false;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(Errno::WOULDBLOCK) if waits => {}
            Err(Errno::WOULDBLOCK) => {
                info!(directory = %state.display(), "another agent is at work; waiting until it has ended");
                waits = true;
            }
            Err(error) => return Err(error.into()),
        }
        sleep(PAUSE).await;
    }
}

fn open(state: &Path) -> io::Result<File> {
    drop(Folder::open(state, PRIVATE)?);
    File::options().create(true).truncate(false).write(true).open(state.join(FILE))
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
}
