//! Bringing a directory up to date, one atomic replacement a file.

use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A directory being brought up to date. A program that runs from it keeps its files; what has not changed is not
/// touched.
pub(super) struct Layout {
    directory: PathBuf,
    wanted: BTreeSet<PathBuf>,
}

impl Layout {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self { directory, wanted: BTreeSet::new() }
    }

    /// Makes `place` a copy of the file `source`, permissions included.
    pub(super) fn put(&mut self, source: &Path, place: impl Into<PathBuf>) -> Result<()> {
        let path = self.want(place.into())?;
        let new = fs::read(source).with_context(|| format!("cannot read {}", source.display()))?;
        if fs::read(&path).is_ok_and(|old| old == new) {
            return Ok(());
        }
        self.replace(&path, |temporary| fs::copy(source, temporary).map(drop))
    }

    /// Makes `place` a symbolic link with the text `target`.
    pub(super) fn link(&mut self, target: &str, place: impl Into<PathBuf>) -> Result<()> {
        let path = self.want(place.into())?;
        if fs::read_link(&path).is_ok_and(|old| old == Path::new(target)) {
            return Ok(());
        }
        self.replace(&path, |temporary| symlink(target, temporary))
    }

    /// Removes what was not wanted.
    pub(super) fn finish(self) -> Result<()> {
        remove_unwanted(&self.directory, &self.wanted)
    }

    fn want(&mut self, place: PathBuf) -> Result<PathBuf> {
        let path = self.directory.join(place);
        let folder = path.parent().unwrap_or(&self.directory);
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        self.wanted.insert(path.clone());
        Ok(path)
    }

    fn replace(&self, path: &Path, make: impl FnOnce(&Path) -> std::io::Result<()>) -> Result<()> {
        let temporary = self.directory.join(".new");
        let _ = fs::remove_file(&temporary);
        let made = make(&temporary).and_then(|()| fs::rename(&temporary, path));
        made.with_context(|| format!("cannot write {}", path.display()))
    }
}

fn remove_unwanted(folder: &Path, wanted: &BTreeSet<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            remove_unwanted(&path, wanted)?;
            // Fails while something is left in it, as it should.
            let _ = fs::remove_dir(&path);
        } else if !wanted.contains(&path) {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_appears_what_is_not_goes_and_what_is_equal_is_untouched() {
        let directory = std::env::temp_dir().join(format!("xtask-layout-{}", std::process::id()));
        fs::create_dir_all(directory.join("old/deep")).unwrap();
        fs::write(directory.join("old/deep/file"), "stale").unwrap();
        fs::write(directory.join("source"), "content").unwrap();
        let stage = |name: &str| {
            let mut layout = Layout::new(directory.clone());
            layout.put(&directory.join("source"), "source").unwrap();
            layout.put(&directory.join("source"), name).unwrap();
            layout.link(name, "link").unwrap();
            layout.finish().unwrap();
        };
        stage("a");
        assert!(!directory.join("old").exists());
        assert_eq!(fs::read_to_string(directory.join("link")).unwrap(), "content");
        let before = fs::metadata(directory.join("a")).unwrap().modified().unwrap();
        stage("a");
        assert_eq!(fs::metadata(directory.join("a")).unwrap().modified().unwrap(), before);
        stage("b");
        assert!(!directory.join("a").exists());
        assert_eq!(fs::read_link(directory.join("link")).unwrap(), Path::new("b"));
        fs::remove_dir_all(&directory).unwrap();
    }
}
