//! An installation of `vgpu` with a driver of two GPUs that only answers to NVML, and a library that does nothing.

use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use contract::limits_page::Page;
use contract::paths;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The product name of both GPUs.
pub(crate) const NAME: &str = "NVIDIA H100 80GB HBM3";
/// The UUID of GPU 0, which has 81,559 MiB.
pub(crate) const FIRST: &str = "GPU-aa000000-0000-0000-0000-000000000001";
/// The UUID of GPU 1, whose memory the driver does not tell.
pub(crate) const SECOND: &str = "GPU-ab000000-0000-0000-0000-000000000002";

/// The installation, with a runtime directory of its own.
pub(crate) struct Machine {
    home: TempDir,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory");
        let at = |path: &str| home.path().join(path);
        for dir in ["bin", "lib", "sim/550", "sim/535", "runtime"] {
            fs::create_dir_all(at(dir)).expect("a directory");
        }
        fs::hard_link(env!("CARGO_BIN_EXE_vgpu"), at("bin/vgpu")).expect("the program");
        compile(&["-shared", "/dev/null"], &at("lib/libvgpu.so"));
        compile(&["-shared", &source("nvml.c")], &at("sim/550/libnvidia-ml.so.1"));
        fs::hard_link(at("lib/libvgpu.so"), at("sim/550/libcuda.so.1")).expect("a library for CUDA");
        fs::hard_link(at("sim/550/libnvidia-ml.so.1"), at("sim/535/libnvidia-ml.so.1"))
            .expect("a second driver");
        Self { home }
    }

    /// A path inside the installation.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    /// `program` in the environment of this machine, with no signal ignored: whoever runs the tests in the background of
    /// a shell ignores some.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new("env");
        command.args(["--default-signal", program]);
        for name in ["LD_PRELOAD", "VGPU_LIBRARY", "VGPU_LIMITS_DIR", "CUDA_DEVICE_MEMORY_SHARED_CACHE"] {
            command.env_remove(name);
        }
        command.env("XDG_RUNTIME_DIR", self.at("runtime")).env("VGPU", self.program()).stdin(Stdio::null());
        command
    }

    /// `vgpu` with these arguments.
    pub(crate) fn vgpu(&self, args: &[&str]) -> Command {
        let mut command = self.command(&self.program().to_string_lossy());
        command.args(args);
        command
    }

    /// Path of the program.
    pub(crate) fn program(&self) -> PathBuf {
        self.at("bin/vgpu")
    }

    /// `vgpu run --sim` with `options` and a shell script as its command.
    pub(crate) fn run(&self, options: &[&str], script: &str) -> Command {
        let mut command = self.vgpu(&["run", "--sim"]);
        command.args(options).args(["--", "sh", "-c", script]);
        command
    }

    /// The directories of slices, in use or not.
    pub(crate) fn slices(&self) -> Vec<PathBuf> {
        let dir = fs::read_dir(self.at("runtime/vgpu"));
        let paths = dir.into_iter().flatten().map(|entry| entry.expect("readable").path());
        paths.filter(|path| path.is_dir()).collect()
    }
}

/// Path of a file beside this one.
pub(crate) fn source(name: &str) -> String {
    format!("{}/tests/cli/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Makes `file` of the C source in `args`.
pub(crate) fn compile(args: &[&str], file: &Path) {
    let status =
        Command::new("cc").args(["-fPIC", "-O1", "-w", "-x", "c"]).args(args).arg("-o").arg(file).status();
    assert!(status.expect("a C compiler").success(), "{args:?}");
}

/// The limits page in the directory of a slice.
pub(crate) fn page(slice: &Path) -> Page {
    let file = paths::limits_file(&slice.join(paths::RUN_LIMITS_DIR));
    Page::decode(&fs::read(file).expect("a limits page")).expect("a right page")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A command that is running.
pub(crate) struct Running {
    pub(crate) child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    /// Starts `command`, whose first line of output is `ready`.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut running = Self { child, lines };
        assert_eq!(running.line(), "ready");
        running
    }

    /// The next line of output.
    pub(crate) fn line(&mut self) -> String {
        self.lines.next().expect("a line").expect("text")
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A command that has been waited for has no process any more.
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal(Signal::TERM);
            let _ = self.child.wait();
        }
    }
}

/// Waits until `condition` holds.
pub(crate) fn eventually(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(120), "it never came");
        std::thread::sleep(Duration::from_millis(10));
    }
}
