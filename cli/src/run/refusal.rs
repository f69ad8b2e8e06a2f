//! Why the system did not start the command, and what helps: its own answer names neither.

use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::target;
use crate::elf::{self, Image, THIS_MACHINE};
use crate::failure::Failure;

/// What to say when starting `command`, which was looked for in `path`, ended with `error`.
pub(super) fn explain(command: &OsStr, path: Option<&OsStr>, error: &io::Error) -> Failure {
    if command.is_empty() {
        return Failure::not_found(absence(command, path));
    }
    let Some(file) = target::find_any(command, path) else {
        return Failure::not_found(format_args!("{}: {}", command.display(), absence(command, path)));
    };
    let reason = match Errno::from_io_error(error) {
        Some(Errno::NOENT) => missing_helper(&file),
        Some(Errno::NOEXEC) => Some(unknown_format(&file)),
        Some(Errno::ACCESS) => Some(no_permission(&file)),
        Some(other) => passing(other).map(Reason::Passing),
        None => None,
    };
    match reason {
        Some(reason) => Failure::cannot_execute(format_args!("{}: {reason}", command.display())),
        None => Failure::cannot_execute(format_args!("{}: {error}", command.display())),
    }
}

/// What will keep `command` from being started, as far as its file tells.
pub(crate) fn foresee(command: &OsStr, path: Option<&OsStr>) -> Option<String> {
    if command.is_empty() {
        return Some(absence(command, path).to_owned());
    }
    let Some(file) = target::find_any(command, path) else { return Some(absence(command, path).to_owned()) };
    let found = fs::metadata(&file).ok()?;
    if found.is_dir() || found.permissions().mode() & 0o111 == 0 {
        return Some(no_permission(&file).to_string());
    }
    let reason = missing_helper(&file).or_else(|| match elf::look(&file) {
        Ok(Image::Unknown | Image::OtherElf) => Some(unknown_format(&file)),
        Ok(Image::Elf64 { machine, .. }) if machine != THIS_MACHINE => Some(Reason::OtherMachine),
        _ => None,
    });
    reason.map(|reason| reason.to_string())
}

fn absence(command: &OsStr, path: Option<&OsStr>) -> &'static str {
    if is_a_command_line(command, path) {
        return "there is no such command; leave the quotes out, or write sh -c before them";
    }
    match command.as_bytes() {
        [] => {
            "the command's name is empty, perhaps because a variable is not set; write the command behind --"
        }
        name if name.contains(&b'/') => "there is no such file; correct the path",
        _ => "there is no such command in PATH; install it, or write the path of its file",
    }
}

/// Whether it is a command with its arguments in one word.
fn is_a_command_line(command: &OsStr, path: Option<&OsStr>) -> bool {
    let words = command.as_bytes();
    let first = words.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    first.len() < words.len() && target::find(OsStr::from_bytes(first), path).is_some()
}

/// The file is there, and yet something was not found: what it names to be run by.
fn missing_helper(file: &Path) -> Option<Reason> {
    match elf::look(file).ok()? {
        Image::Script { interpreter } if !interpreter.exists() => Some(Reason::NoInterpreter(interpreter)),
        // The missing one is further down: the interpreter is a script, or asks for a loader itself.
        Image::Script { interpreter } => missing_helper(&interpreter),
        Image::Elf64 { loader: Some(loader), .. } if !loader.exists() => Some(Reason::NoLoader(loader)),
        _ => None,
    }
}

fn unknown_format(file: &Path) -> Reason {
    match elf::look(file) {
        Ok(Image::OtherElf) => Reason::OtherMachine,
        Ok(Image::Elf64 { machine, .. }) if machine != THIS_MACHINE => Reason::OtherMachine,
        Ok(Image::Elf64 { .. }) => Reason::DamagedProgram,
        _ => Reason::NoFirstLine,
    }
}

fn no_permission(file: &Path) -> Reason {
    let Ok(found) = fs::metadata(file) else { return Reason::Forbidden };
    if found.is_dir() {
        return Reason::Directory;
    }
    if found.permissions().mode() & 0o111 == 0 {
        return Reason::NotExecutable(file.to_owned());
    }
    match elf::look(file) {
        Ok(Image::Script { interpreter }) => Reason::InterpreterForbidden(interpreter),
        _ => Reason::Forbidden,
    }
}

/// What the system says of the attempt, and may not say of the next one.
fn passing(error: Errno) -> Option<&'static str> {
    match error {
        Errno::TOOBIG => Some(
            "its arguments and environment, to which LD_PRELOAD and other variables of vgpu are added, are too long for \
             the system (getconf ARG_MAX; 128 KiB each); shorten them",
        ),
        Errno::TXTBSY => {
            Some("its file is open for writing; wait until whoever writes it is done, and try again")
        }
        Errno::AGAIN => Some(
            "there are as many processes as this user or container may have; end some, or raise the limit (ulimit -u, \
             pids.max)",
        ),
        _ => None,
    }
}

/// What keeps a file from being executed.
#[derive(Debug, PartialEq, Eq)]
enum Reason {
    NoInterpreter(PathBuf),
    NoLoader(PathBuf),
    OtherMachine,
    DamagedProgram,
    NoFirstLine,
    Directory,
    NotExecutable(PathBuf),
    InterpreterForbidden(PathBuf),
    Forbidden,
    /// Nothing that its file tells.
    Passing(&'static str),
}

impl Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoInterpreter(path) if path.as_os_str().as_bytes().ends_with(b"\r") => f.write_str(
                "its first line ends with a carriage return, as on Windows, which becomes part of the interpreter's \
                 name; convert the file (dos2unix, or sed -i 's/\\r$//')",
            ),
            Self::NoInterpreter(path) => write!(
                f,
                "its interpreter {}, named in its first line, does not exist; install it or correct the line",
                path.display()
            ),
            Self::NoLoader(path) => write!(
                f,
                "the program is there, but the dynamic loader that it asks for, {}, is not; install the C library it \
                 was built for, or use a build for this system",
                path.display()
            ),
            Self::OtherMachine => f.write_str(
                "it is a program for another kind of machine; use one that was built for this machine",
            ),
            Self::DamagedProgram => f.write_str("it is a damaged program, or a library; build or install it anew"),
            Self::NoFirstLine => f.write_str(
                "it is neither a program nor a script that names its interpreter; begin it with a line such as \
                 #!/bin/sh, or put the interpreter before its name",
            ),
            Self::Directory => f.write_str("it is a directory; name a file in it"),
            Self::NotExecutable(path) => {
                write!(f, "it is not executable; chmod +x {}, or put its interpreter before it", path.display())
            }
            Self::InterpreterForbidden(path) => {
                write!(f, "its interpreter {} may not be executed; make that executable", path.display())
            }
            Self::Forbidden => f.write_str(
                "this user may not execute it; look at the modes of the file and of the directories above it, and \
                 whether its file system is mounted noexec",
            ),
            Self::Passing(reason) => f.write_str(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::tests::elf;
    use std::fs::Permissions;
    use std::process::Command;

    /// What is said of a file with this content and mode.
    fn said(content: &[u8], mode: u32) -> String {
        let home = tempfile::tempdir().expect("a temporary directory");
        let file = home.path().join("program");
        fs::write(&file, content).expect("a file");
        fs::set_permissions(&file, Permissions::from_mode(mode)).expect("mode");
        let error = Command::new(&file).spawn().expect_err("it cannot be started");
        let failure = explain(file.as_os_str(), None, &error);
        assert_eq!(failure.status(), Failure::cannot_execute("").status(), "{failure}");
        failure.to_string().replace(&*file.to_string_lossy(), "FILE")
    }

    #[test]
    fn every_reason_has_its_fix() {
        let table: [(&[u8], u32, &str); 7] = [
            (
                b"#!/nowhere/sh\n",
                0o755,
                "its interpreter /nowhere/sh, named in its first line, does not exist; install",
            ),
            (b"#!/bin/sh\r\necho\r\n", 0o755, "its first line ends with a carriage return"),
            (b"echo no first line\n", 0o755, "begin it with a line such as #!/bin/sh"),
            (b"", 0o755, "begin it with a line such as #!/bin/sh"),
            (b"#!/bin/sh\n", 0o644, "it is not executable; chmod +x FILE"),
            (&elf(THIS_MACHINE + 1, None), 0o755, "another kind of machine"),
            (b"\x7fELF\x01\x01\x01", 0o755, "another kind of machine"),
        ];
        for (content, mode, expected) in table {
            let said = said(content, mode);
            assert!(said.starts_with("FILE: ") && said.contains(expected), "{said}");
        }
    }

    #[test]
    fn a_loader_that_is_missing_is_not_a_missing_command() {
        let error = io::Error::from(Errno::NOENT);
        let home = tempfile::tempdir().expect("a temporary directory");
        let program = home.path().join("program");
        fs::write(&program, elf(THIS_MACHINE, Some("/nowhere/ld-musl-x86_64.so.1"))).expect("a file");
        let said = explain(program.as_os_str(), None, &error).to_string();
        assert!(
            said.contains("the dynamic loader that it asks for, /nowhere/ld-musl-x86_64.so.1, is not"),
            "{said}"
        );
        let script = home.path().join("script");
        fs::write(&script, format!("#!{}\n", program.display())).expect("a file");
        assert_eq!(missing_helper(&script), Some(Reason::NoLoader("/nowhere/ld-musl-x86_64.so.1".into())));
    }

    #[test]
    fn a_script_whose_interpreter_is_not_executable() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let interpreter = home.path().join("interpreter");
        fs::write(&interpreter, "").expect("a file");
        let said = said(format!("#!{}\n", interpreter.display()).as_bytes(), 0o755);
        assert!(said.contains("interpreter may not be executed"), "{said}");
        assert_eq!(no_permission(home.path()), Reason::Directory);
    }

    #[test]
    fn what_will_not_start_is_foreseen() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let file = home.path().join("program");
        let foreseen = |content: &[u8], mode| {
            fs::write(&file, content).expect("a file");
            fs::set_permissions(&file, Permissions::from_mode(mode)).expect("mode");
            foresee(file.as_os_str(), None)
        };
        assert_eq!(foreseen(b"#!/bin/sh\n", 0o755), None);
        assert!(foreseen(b"#!/bin/sh\n", 0o644).expect("a reason").contains("chmod +x"));
        assert!(foreseen(b"#!/nowhere/sh\n", 0o755).expect("a reason").contains("/nowhere/sh"));
        assert!(foreseen(b"text", 0o755).expect("a reason").contains("#!/bin/sh"));
        assert!(foreseen(&elf(THIS_MACHINE + 1, None), 0o755).expect("a reason").contains("another kind"));
        assert!(foresee(OsStr::new("no-such"), None).expect("a reason").contains("no such command"));
        assert!(foresee(home.path().as_os_str(), None).expect("a reason").contains("a directory"));
    }

    #[test]
    fn what_is_no_fault_of_the_file_has_its_fix_too() {
        let said =
            |error: Errno| explain(OsStr::new("sh"), Some(OsStr::new("/bin")), &error.into()).to_string();
        assert!(
            said(Errno::TOOBIG)
                .contains("too long for the system (getconf ARG_MAX; 128 KiB each); shorten them")
        );
        assert!(said(Errno::TXTBSY).contains("open for writing; wait"));
        assert!(said(Errno::AGAIN).contains("end some, or raise the limit"));
    }

    #[test]
    fn a_command_that_is_nowhere() {
        let error = io::Error::from(Errno::NOENT);
        let said = |name: &str| explain(OsStr::new(name), Some(OsStr::new("/bin")), &error);
        assert_eq!(said("no-such").status(), Failure::not_found("").status());
        let nameless =
            "the command's name is empty, perhaps because a variable is not set; write the command behind --";
        assert_eq!(said(""), Failure::not_found(nameless));
        assert_eq!(foresee(OsStr::new(""), Some(OsStr::new("/bin"))).as_deref(), Some(nameless));
        assert!(said("no-such").to_string().contains("no such command in PATH; install it"));
        assert!(said("/nowhere/no-such").to_string().contains("no such file; correct the path"));
        for line in ["sh -c true", "/bin/sh -c true"] {
            assert!(said(line).to_string().contains("leave the quotes out, or write sh -c"), "{line}");
        }
        assert!(said("no such").to_string().contains("no such command in PATH"));
    }
}
