//! The library on the node: one directory a version, and a link to the current one.
//!
//! ```text
//! lib/<version>/libvgpu.so      lib/current -> <version>
//! ```
//!
//! A file that was installed is never written again, since programs have it mapped: a new library is a new directory, which
//! appears whole or not at all, and the link is exchanged. So programs that run keep the library that they started with.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::folder::named;
use crate::selinux::Labels;

/// The library's file in the directory of its version.
pub const LIBRARY: &str = "libvgpu.so";

/// The link to the version for containers that are created from now on.
pub const CURRENT: &str = "current";

/// Installed versions, below the agent's state directory.
const DIRECTORY: &str = "lib";

/// What is not finished yet; never the name of a version.
const UNFINISHED: &str = ".new";

/// The library for containers that are created from now on.
#[must_use]
pub fn current(state: &Path) -> PathBuf {
    state.join(DIRECTORY).join(CURRENT).join(LIBRARY)
}

/// Installs the library in `source` below `state`, and makes it the current one. Returns the name of its version, which is made
/// from its content: the same library again changes nothing.
///
/// # Errors
/// The library cannot be read, or not be installed. Then the current one is what it was before.
pub fn install(source: &Path, state: &Path) -> io::Result<String> {
    let library = fs::read(source)?;
    let version = version(&library);
    let directory = state.join(DIRECTORY);
    make_directory(&directory)?;
    let place = directory.join(&version);
    if !fs::read(place.join(LIBRARY)).is_ok_and(|installed| installed == library) {
        put(&library, &directory, &place)?;
    }
    Labels::of_machine().open_to_containers(&place.join(LIBRARY))?;
    switch(&directory, &version)?;
    Ok(version)
}

/// The versions that are installed where the link to the current one is.
#[derive(Clone, Debug)]
pub struct Installed {
    directory: PathBuf,
}

impl Installed {
    /// Those beside the version that `current`, the library by way of the link, belongs to.
    #[must_use]
    pub fn beside(current: &Path) -> Self {
        let directory = current.parent().and_then(Path::parent).unwrap_or_else(|| Path::new("/"));
        Self { directory: directory.to_owned() }
    }

    /// All but the current one.
    ///
    /// # Errors
    /// They cannot be listed, or nobody can tell which one is the current.
    pub fn old(&self) -> io::Result<Vec<String>> {
        let current = fs::read_link(self.directory.join(CURRENT))?;
        let mut old = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let is_version = entry.file_type()?.is_dir() && entry.file_name() != UNFINISHED;
            if is_version && Path::new(&entry.file_name()) != current {
                old.extend(entry.file_name().into_string());
            }
        }
        Ok(old)
    }

    /// The library of `version`.
    #[must_use]
    pub fn library(&self, version: &str) -> PathBuf {
        self.directory.join(version).join(LIBRARY)
    }

    /// Removes `version`. Whoever has its file mapped or mounted keeps it.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn remove(&self, version: &str) -> io::Result<()> {
        let place = self.directory.join(version);
        remove(&place).map_err(|error| named(&place, error))
    }
}

/// Writes the library into a directory of its own, which then gets its name.
fn put(library: &[u8], directory: &Path, place: &Path) -> io::Result<()> {
    let unfinished = directory.join(UNFINISHED);
    remove(&unfinished)?;
    make_directory(&unfinished)?;
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o644).open(unfinished.join(LIBRARY))?;
    file.write_all(library)?;
    file.sync_all()?;
    // What has this name is not this library: a disk that has lost something. Who has it mapped keeps it.
    remove(place)?;
    fs::rename(&unfinished, place)?;
    fs::File::open(directory)?.sync_all()
}

/// Exchanges the link.
fn switch(directory: &Path, version: &str) -> io::Result<()> {
    let link = directory.join(CURRENT);
    if fs::read_link(&link).is_ok_and(|target| target == Path::new(version)) {
        return Ok(());
    }
    let unfinished = directory.join(UNFINISHED);
    remove(&unfinished)?;
    symlink(version, &unfinished)?;
    fs::rename(&unfinished, &link)?;
    fs::File::open(directory)?.sync_all()
}

fn make_directory(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o755).create(path)
}

/// Removes a file, a link or a directory with all that is in it, if it is there.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(file) if file.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// The name of the version with this content: this program's version, and 64 bits of FNV-1a over the content, so that builds
/// of one version differ.
fn version(library: &[u8]) -> String {
    let hash = library.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{}-{hash:016x}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::MetadataExt;

    struct Node(tempfile::TempDir);

    impl Node {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn install(&self, content: &str) -> io::Result<String> {
            let source = self.0.path().join("source");
            fs::write(&source, content).unwrap();
            install(&source, self.0.path())
        }

        fn current(&self) -> PathBuf {
            current(self.0.path())
        }

        fn entries(&self) -> Vec<String> {
            let entries = fs::read_dir(self.0.path().join(DIRECTORY)).unwrap();
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    #[test]
    fn a_library_that_programs_had_mapped_was_overwritten() {
        let node = Node::new();
        node.install("first").unwrap();
        let inode = fs::metadata(node.current()).unwrap().ino();
        let mut mapped = fs::File::open(node.current()).unwrap();
        node.install("second").unwrap();
        assert_eq!(fs::read_to_string(node.current()).unwrap(), "second");
        let mut content = String::new();
        mapped.read_to_string(&mut content).unwrap();
        assert_eq!((content.as_str(), mapped.metadata().unwrap().ino()), ("first", inode));
        assert_eq!(mapped.metadata().unwrap().nlink(), 1, "it is still there under its name");
    }

    #[test]
    fn the_same_library_again_changes_nothing_and_an_older_one_comes_back() {
        let node = Node::new();
        let first = node.install("first").unwrap();
        let inode = fs::metadata(node.current()).unwrap().ino();
        assert_eq!(node.install("first").unwrap(), first);
        assert_eq!(fs::metadata(node.current()).unwrap().ino(), inode);
        let second = node.install("second").unwrap();
        assert_ne!(first, second);
        node.install("first").unwrap();
        assert_eq!(fs::metadata(node.current()).unwrap().ino(), inode);
        let mut names = [first, second, CURRENT.to_owned()];
        names.sort();
        assert_eq!(node.entries(), names);
    }

    #[test]
    fn what_an_installer_that_was_killed_has_left_is_no_obstacle() {
        let node = Node::new();
        let unfinished = node.0.path().join(DIRECTORY).join(UNFINISHED);
        fs::create_dir_all(&unfinished).unwrap();
        fs::write(unfinished.join(LIBRARY), "ha").unwrap();
        let version = node.install("whole").unwrap();
        let half = node.0.path().join(DIRECTORY).join(&version).join(LIBRARY);
        fs::write(&half, "wh").unwrap();
        node.install("whole").unwrap();
        assert_eq!(fs::read_to_string(node.current()).unwrap(), "whole");
        symlink("nowhere", &unfinished).unwrap();
        node.install("other").unwrap();
        assert_eq!(node.entries().len(), 3);
    }

    #[test]
    fn old_versions_are_told_and_removed_and_the_current_one_is_not_among_them() {
        let node = Node::new();
        let (first, second) = (node.install("first").unwrap(), node.install("second").unwrap());
        let installed = Installed::beside(&node.current());
        assert_eq!(installed.old().unwrap(), std::slice::from_ref(&first));
        assert_eq!(fs::read_to_string(installed.library(&first)).unwrap(), "first");
        installed.remove(&first).unwrap();
        assert_eq!(node.entries(), [&second, CURRENT]);
        fs::remove_file(node.0.path().join(DIRECTORY).join(CURRENT)).unwrap();
        assert!(installed.old().is_err(), "no link says which one is needed");
    }

    #[test]
    fn a_library_that_is_not_there_leaves_the_current_one() {
        let node = Node::new();
        node.install("first").unwrap();
        assert!(install(Path::new("/nowhere/libvgpu.so"), node.0.path()).is_err());
        assert_eq!(fs::read_to_string(node.current()).unwrap(), "first");
    }
}
