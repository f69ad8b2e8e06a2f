//! Directories of root's in which nobody else may write, and what the agent keeps in them.
//!
//! Everything is done relative to an open directory and never through a symbolic link, so that who may write somewhere below a
//! path cannot lead the agent elsewhere.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, fchmod, fstat, mkdirat, open, openat, renameat, symlinkat, unlinkat,
};
use rustix::io::Errno;

/// A directory that belongs to this user and that nobody else may write.
#[derive(Debug)]
pub struct Folder {
    directory: OwnedFd,
    path: PathBuf,
}

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

/// How the name of a file ends that is being written; it begins with a dot.
const UNFINISHED: &str = ".new";

/// Mode of a directory that others may look into: the processes of a container that has it mounted.
pub const VISIBLE: u32 = 0o755;
/// Mode of a directory that is nobody else's business.
pub const PRIVATE: u32 = 0o700;

impl Folder {
    /// The directory at `path`, made with `mode` if it is not there, like those that lead to it. One that is to be [`PRIVATE`] is
    /// from now on.
    ///
    /// # Errors
    /// Those of the system, with the path, and when others may write there.
    pub fn open(path: &Path, mode: u32) -> io::Result<Self> {
        let at = |error: io::Error| named(path, error);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(at)?;
        }
        match rustix::fs::mkdir(path, Mode::from_raw_mode(mode)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(at(error.into())),
        }
        let directory = open(path, DIRECTORY, Mode::empty()).map_err(|error| at(error.into()))?;
        let folder = Self { directory, path: path.to_owned() }.checked()?;
        if mode == PRIVATE {
            // Kubelet, which makes what a pod mounts, lets others in.
            fchmod(&folder.directory, Mode::from_raw_mode(mode)).map_err(|error| at(error.into()))?;
        }
        Ok(folder)
    }

    /// The directory `name` in this one, made with `mode` if it is not there.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn child(&self, name: &str, mode: u32) -> io::Result<Self> {
        let path = self.path_of(name)?;
        let at = |error: Errno| named(&path, error.into());
        match mkdirat(&self.directory, name, Mode::from_raw_mode(mode)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(at(error)),
        }
        let directory = openat(&self.directory, name, DIRECTORY, Mode::empty()).map_err(at)?;
        // The umask is for files in general.
        fchmod(&directory, Mode::from_raw_mode(mode)).map_err(at)?;
        Self { directory, path }.checked()
    }

    fn checked(self) -> io::Result<Self> {
        let stat = fstat(&self.directory).map_err(|error| named(&self.path, error.into()))?;
        let me = rustix::process::geteuid().as_raw();
        if stat.st_uid == me && stat.st_mode & 0o022 == 0 {
            return Ok(self);
        }
        let fault = format!(
            "it must belong to user {me} and nobody else may write it; it belongs to {}",
            stat.st_uid
        );
        Err(named(&self.path, io::Error::new(io::ErrorKind::PermissionDenied, fault)))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where `name` in it is.
    ///
    /// # Errors
    /// It is no name of a file.
    pub fn path_of(&self, name: &str) -> io::Result<PathBuf> {
        if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']) {
            return Err(named(&self.path, io::Error::other(format!("{name:?} is no name of a file"))));
        }
        Ok(self.path.join(name))
    }

    /// Removes what a writer of a file with a name that begins with `prefix` has left half written when it died. Nobody may write
    /// meanwhile. What cannot be removed is logged.
    pub fn sweep(&self, prefix: &str) {
        let all = self.all_names().unwrap_or_default().into_iter();
        let names = all.filter_map(|(name, _)| name.into_string().ok());
        let is_left = |name: &str| {
            name.strip_prefix('.').is_some_and(|name| name.starts_with(prefix) && name.ends_with(UNFINISHED))
        };
        for name in names.filter(|name| is_left(name)) {
            if let Err(error) = self.remove(&name) {
                tracing::warn!(%error, "what is half written cannot be removed");
            }
        }
    }

    /// Gives the file `name` this content and mode, whole or not at all, also when the machine stops meanwhile.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn write(&self, name: &str, content: &[u8], mode: u32) -> io::Result<()> {
        let path = self.path_of(name)?;
        let new = format!(".{name}{UNFINISHED}");
        let written = self.write_new(&new, content, mode).and_then(|()| {
            renameat(&self.directory, &new, &self.directory, name)?;
            Ok(rustix::fs::fsync(&self.directory)?)
        });
        written.map_err(|error| {
            // What is half written is worthless.
            let _ = unlinkat(&self.directory, &new, AtFlags::empty());
            named(&path, error)
        })
    }

    /// Makes the link `name` lead to `target`, in place of what it is now.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn link(&self, name: &str, target: &Path) -> io::Result<()> {
        let path = self.path_of(name)?;
        let new = format!(".{name}{UNFINISHED}");
        self.remove(&new)?;
        let linked = symlinkat(target, &self.directory, &new)
            .and_then(|()| renameat(&self.directory, &new, &self.directory, name));
        linked.map_err(|error| named(&path, error.into()))
    }

    fn write_new(&self, name: &str, content: &[u8], mode: u32) -> io::Result<()> {
        match unlinkat(&self.directory, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = FILE | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let file = openat(&self.directory, name, flags, Mode::from_raw_mode(0o600))?;
        fchmod(&file, Mode::from_raw_mode(mode))?;
        let mut file = File::from(file);
        file.write_all(content)?;
        file.sync_all()
    }

    /// What the file `name` holds, at most `most` bytes of it; `None` when there is none.
    ///
    /// # Errors
    /// Those of the system, with the path, and when something else than a file is there.
    pub fn read(&self, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        let path = self.path_of(name)?;
        let at = |error: io::Error| named(&path, error);
        let file = match openat(&self.directory, name, FILE | OFlags::RDONLY, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            result => File::from(result.map_err(|error| at(error.into()))?),
        };
        if !file.metadata().map_err(at)?.is_file() {
            return Err(at(io::Error::other("it is not a file")));
        }
        let mut content = Vec::new();
        file.take(most).read_to_end(&mut content).map_err(at)?;
        Ok(Some(content))
    }

    /// The names in it, in order, but for what a writer that died has left half written. Names that are no text are left out.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let all = self.all_names().map_err(|error| named(&self.path, error))?;
        let mut names: Vec<String> =
            all.into_iter().filter_map(|(name, _)| name.into_string().ok()).collect();
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        Ok(names)
    }

    fn all_names(&self) -> io::Result<Vec<(std::ffi::CString, FileType)>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.directory)? {
            let entry = entry?;
            if entry.file_name() != c"." && entry.file_name() != c".." {
                names.push((entry.file_name().to_owned(), entry.file_type()));
            }
        }
        Ok(names)
    }

    /// Removes the file `name`, if there is one.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        let path = self.path_of(name)?;
        match unlinkat(&self.directory, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(named(&path, error.into())),
        }
    }

    /// Removes the directory `name` with all that is in it, if there is one. Links in it are removed, never followed.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn remove_all(&self, name: &str) -> io::Result<()> {
        let path = self.path_of(name)?;
        let name = std::ffi::CString::new(name).map_err(io::Error::other)?;
        remove_directory(&self.directory, &name).map_err(|error| named(&path, error))
    }
}

fn remove_directory(parent: &OwnedFd, name: &CStr) -> io::Result<()> {
    let directory = match openat(parent, name, DIRECTORY | OFlags::RDONLY, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(()),
        result => Folder { directory: result?, path: PathBuf::new() },
    };
    for (child, kind) in directory.all_names()? {
        if kind == FileType::Directory {
            remove_directory(&directory.directory, &child)?;
        } else {
            unlinkat(&directory.directory, &child, AtFlags::empty())?;
        }
    }
    Ok(unlinkat(parent, name, AtFlags::REMOVEDIR)?)
}

/// The error with the path at which it happened.
pub(crate) fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests;
