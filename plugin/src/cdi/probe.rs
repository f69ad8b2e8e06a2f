//! Whether specs can be written where the runtime reads them.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use daemon::http::pages::State;
use tokio::time::sleep;

use crate::folder::{Folder, VISIBLE};
use crate::metrics::conditions::Condition;

/// Between two attempts.
const PAUSE: Duration = Duration::from_secs(30);

/// A file that no runtime reads, because a spec's name ends in `.json` or `.yaml`.
const FILE: &str = "vgpu.io-probe";
const CONTENT: &[u8] = b"written by vgpu-node-agent to see whether it can\n";

/// Tries, over and over, to write into `directory`, and says in `condition` whether that can be done.
pub async fn follow(directory: &Path, condition: &Condition) -> Infallible {
    loop {
        let place = PathBuf::from(directory);
        let tried = tokio::task::spawn_blocking(move || attempt(&place)).await;
        condition.set(tried.unwrap_or_else(|error| Err(error.to_string())));
        sleep(PAUSE).await;
    }
}

/// Removes what an agent that died meanwhile has left in `folder`.
pub(super) fn sweep(folder: &Folder) {
    folder.sweep(FILE);
    if let Err(error) = folder.remove(FILE) {
        tracing::warn!(%error, "what was written as a trial cannot be removed");
    }
}

fn attempt(directory: &Path) -> State {
    write_and_read(directory).map_err(|error| format!("specs cannot be written: {error}"))
}

fn write_and_read(directory: &Path) -> io::Result<()> {
    let folder = Folder::open(directory, VISIBLE)?;
    folder.write(FILE, CONTENT, 0o644)?;
    let most = u64::try_from(CONTENT.len()).unwrap_or(u64::MAX);
    let read = folder.read(FILE, most);
    folder.remove(FILE)?;
    match read?.as_deref() {
        Some(CONTENT) => Ok(()),
        _ => Err(io::Error::other(format!("{}: what was written is not there", directory.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_can_be_written_is_left_as_it_was_and_one_that_cannot_is_named() {
        let place = tempfile::tempdir().unwrap();
        let specs = place.path().join("cdi");
        assert_eq!(attempt(&specs), Ok(()));
        assert_eq!(std::fs::read_dir(&specs).unwrap().count(), 0);
        let file = place.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = attempt(&file).unwrap_err();
        assert!(error.starts_with("specs cannot be written: ") && error.contains("file"), "{error}");
    }
}
