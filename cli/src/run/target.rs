//! Whether the dynamic loader will preload the library into the command, as far as its file tells.

use std::env;
use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::elf::{self, Image, THIS_MACHINE};

/// A command that limits do not reach.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Obstacle {
    program: PathBuf,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    OtherUser,
    Static,
    Musl,
    OtherMachine,
}

/// Interpreters of interpreters that are followed, as many as the kernel does.
const SCRIPTS: usize = 5;

/// What keeps the library out of `command`, which is looked for in `path` as the system does.
pub(crate) fn obstacle(command: &OsStr, path: Option<&OsStr>) -> Option<Obstacle> {
    let mut program = find(command, path)?;
    for _ in 0..SCRIPTS {
        match elf::look(&program).ok()? {
            Image::Script { interpreter } => program = interpreter,
            image => {
                let kind = kind(&image, &fs::metadata(&program).ok()?)?;
                return Some(Obstacle { program, kind });
            }
        }
    }
    None
}

/// The file that will be executed.
pub(crate) fn find(command: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    candidates(command, path).into_iter().find(|file| is_executable(file))
}

/// The file that is meant, executable or not.
pub(super) fn find_any(command: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    find(command, path).or_else(|| candidates(command, path).into_iter().find(|file| file.exists()))
}

/// Where `command` may be, in the order in which the system looks.
fn candidates(command: &OsStr, path: Option<&OsStr>) -> Vec<PathBuf> {
    match path {
        _ if command.as_bytes().contains(&b'/') => vec![PathBuf::from(command)],
        Some(path) => env::split_paths(path).map(|dir| dir.join(command)).collect(),
        None => Vec::new(),
    }
}

fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

fn kind(image: &Image, file: &Metadata) -> Option<Kind> {
    match image {
        Image::Elf64 { machine: THIS_MACHINE, loader } => match loader {
            None => Some(Kind::Static),
            Some(loader) if is_musl(loader) => Some(Kind::Musl),
            Some(_) => changes_user(file).then_some(Kind::OtherUser),
        },
        Image::Elf64 { .. } | Image::OtherElf => Some(Kind::OtherMachine),
        Image::Script { .. } | Image::Unknown => None,
    }
}

fn is_musl(loader: &Path) -> bool {
    loader.file_name().is_some_and(|name| name.as_bytes().starts_with(b"ld-musl"))
}

/// A program that runs as somebody else is loaded in secure mode, which passes over a preload with a path.
fn changes_user(file: &Metadata) -> bool {
    let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    let set_user = file.mode() & 0o4000 != 0 && file.uid() != user;
    let set_group = file.mode() & 0o2010 == 0o2010 && file.gid() != group;
    set_user || set_group
}

impl Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.kind {
            Kind::OtherUser => "runs as another user (set-user-ID or set-group-ID)",
            Kind::Static => "is statically linked",
            Kind::Musl => "uses the musl C library",
            Kind::OtherMachine => "is a program for another kind of machine",
        };
        write!(
            f,
            "{} {reason}: the library that keeps limits cannot be loaded into it",
            self.program.display()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::tests::elf;
    use std::fs::Permissions;
    use std::os::unix::fs::chown;
    use tempfile::TempDir;

    const GLIBC: Option<&str> = Some("/lib64/ld-linux-x86-64.so.2");

    fn program(home: &TempDir, name: &str, content: &[u8]) -> PathBuf {
        let path = home.path().join(name);
        fs::write(&path, content).expect("a file");
        fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("mode");
        path
    }

    fn kind_of(content: &[u8]) -> Option<Kind> {
        let home = tempfile::tempdir().expect("a temporary directory");
        obstacle(program(&home, "program", content).as_os_str(), None).map(|obstacle| obstacle.kind)
    }

    #[test]
    fn kinds_of_programs() {
        assert_eq!(kind_of(&elf(THIS_MACHINE, GLIBC)), None);
        assert_eq!(kind_of(&elf(THIS_MACHINE, None)), Some(Kind::Static));
        assert_eq!(kind_of(&elf(THIS_MACHINE, Some("/lib/ld-musl-x86_64.so.1"))), Some(Kind::Musl));
        assert_eq!(kind_of(&elf(THIS_MACHINE + 1, GLIBC)), Some(Kind::OtherMachine));
        assert_eq!(kind_of(b"\x7fELF\x01\x01\x01"), Some(Kind::OtherMachine));
        assert_eq!(kind_of(b"echo no first line"), None);
    }

    #[test]
    fn scripts_are_what_their_interpreter_is() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let shell = program(&home, "shell", &elf(THIS_MACHINE, None));
        let inner = program(&home, "inner", format!("#!{}\n", shell.display()).as_bytes());
        let outer = program(&home, "outer", format!("#!{} -x\n", inner.display()).as_bytes());
        assert_eq!(obstacle(outer.as_os_str(), None), Some(Obstacle { program: shell, kind: Kind::Static }));
    }

    #[test]
    fn a_script_that_interprets_itself_ends() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let path = home.path().join("loop");
        program(&home, "loop", format!("#!{}\n", path.display()).as_bytes());
        assert_eq!(obstacle(path.as_os_str(), None), None);
    }

    #[test]
    fn commands_are_found_as_the_system_finds_them() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let found = program(&home, "tool", &elf(THIS_MACHINE, None));
        fs::create_dir_all(home.path().join("first/tool")).expect("a directory of that name");
        let path =
            env::join_paths([home.path().join("first"), home.path().to_owned()]).expect("two directories");
        let obstacle = |command: &str| obstacle(OsStr::new(command), Some(&path));
        assert_eq!(obstacle("tool").map(|obstacle| obstacle.program), Some(found));
        assert_eq!(obstacle("other"), None);
        assert_eq!(obstacle("./tool"), None);
    }

    #[test]
    fn a_program_of_another_user_that_runs_as_that_user() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let path = program(&home, "sudo", &elf(THIS_MACHINE, GLIBC));
        let kind = || obstacle(path.as_os_str(), None).map(|obstacle| obstacle.kind);
        fs::set_permissions(&path, Permissions::from_mode(0o4755)).expect("mode");
        assert_eq!(kind(), None, "our own user is no other");
        if chown(&path, Some(65_534), None).is_ok() {
            fs::set_permissions(&path, Permissions::from_mode(0o4755)).expect("mode");
            assert_eq!(kind(), Some(Kind::OtherUser));
        }
    }

    #[test]
    fn the_warning_names_the_program() {
        let obstacle = Obstacle { program: PathBuf::from("/bin/busybox"), kind: Kind::Static };
        assert_eq!(
            obstacle.to_string(),
            "/bin/busybox is statically linked: the library that keeps limits cannot be loaded into it"
        );
    }
}
