//! The programs of the demonstration, and whether they are here.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use contract::Bytes;

use crate::run::target;

/// A program to show.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) name: &'static str,
    /// What a person would type.
    pub(super) typed: String,
    /// Program and arguments, or why it is left out.
    pub(super) command: Result<Vec<OsString>, String>,
}

/// A Python program that needs a module.
struct Script {
    name: &'static str,
    file: &'static str,
    module: &'static str,
    /// What brings the module.
    package: &'static str,
    text: &'static str,
}

const SCRIPTS: [Script; 3] = [
    Script {
        name: "NVML client",
        file: "gpus.py",
        module: "pynvml",
        package: "nvidia-ml-py",
        text: include_str!("../../../ci/demo/gpus.py"),
    },
    Script {
        name: "numba-cuda",
        file: "numba_fill.py",
        module: "numba.cuda",
        package: "'numba-cuda[cu12]'",
        text: include_str!("numba_fill.py"),
    },
    Script {
        name: "taichi",
        file: "taichi_fill.py",
        module: "taichi",
        package: "taichi",
        text: include_str!("taichi_fill.py"),
    },
];

/// Every program of the demonstration, which asks for `wanted` bytes where it can be told. `fill` is the CUDA program's
/// file; scripts are written into `dir`.
pub(super) fn all(fill: &Path, python: &OsStr, dir: &Path, wanted: Bytes) -> Vec<Client> {
    let mib = (wanted.0 >> 20).to_string();
    let mut clients = vec![nvidia_smi(fill)];
    let mut scripts = SCRIPTS.iter().map(|script| script.client(python, dir, &mib));
    clients.extend(scripts.next());
    clients.push(cuda_program(fill, &mib));
    clients.extend(scripts);
    clients
}

/// nvidia-smi, started by the CUDA program while it holds some memory, so that there is a process to list.
fn nvidia_smi(fill: &Path) -> Client {
    const HELD: &str = "300";
    let found = target::find(OsStr::new("nvidia-smi"), env::var_os("PATH").as_deref());
    let found = found
        .map(PathBuf::into_os_string)
        .ok_or_else(|| "it is not in PATH; it comes with the NVIDIA driver".to_owned());
    Client {
        name: "nvidia-smi",
        typed: format!("fill {HELD} nvidia-smi"),
        command: found.and_then(|file| Ok(vec![installed(fill)?, HELD.into(), file])),
    }
}

fn installed(fill: &Path) -> Result<OsString, String> {
    if fill.is_file() { Ok(fill.into()) } else { Err(format!("{} is not installed", fill.display())) }
}

fn cuda_program(fill: &Path, mib: &str) -> Client {
    let command = installed(fill).map(|fill| vec![fill, mib.into()]);
    Client { name: "CUDA program", typed: format!("fill {mib}"), command }
}

impl Script {
    fn client(&self, python: &OsStr, dir: &Path, mib: &str) -> Client {
        let file = dir.join(self.file);
        let written = || fs::write(&file, self.text).map_err(|error| format!("{}: {error}", file.display()));
        let command = self.is_usable(python).and_then(|()| written());
        Client {
            name: self.name,
            typed: format!("python3 {}", self.file),
            command: command.map(|()| vec![python.to_owned(), file.clone().into_os_string(), mib.into()]),
        }
    }

    fn is_usable(&self, python: &OsStr) -> Result<(), String> {
        let mut command = Command::new(python);
        command.arg("-c").arg(format!("import {}", self.module));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(format!(
                "{} cannot import {}; pip install {}, or name another Python with --python",
                python.display(),
                self.module,
                self.package
            )),
            Err(error) => Err(format!("{}: {error}; name another Python with --python", python.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_here_says_why() {
        let clients = all(
            Path::new("/nowhere/fill"),
            OsStr::new("/nowhere/python"),
            Path::new("/nowhere"),
            Bytes(2 << 30),
        );
        let names: Vec<_> = clients.iter().map(|client| client.name).collect();
        assert_eq!(names, ["nvidia-smi", "NVML client", "CUDA program", "numba-cuda", "taichi"]);
        let reason = |place: usize| clients[place].command.clone().expect_err("it is not here");
        assert!(reason(1).starts_with("/nowhere/python: "));
        assert_eq!(reason(2), "/nowhere/fill is not installed");
        assert_eq!(clients[2].typed, "fill 2048");
    }
}
