//! A place for one machine, and ways to look at it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sim_kernel::{
    AllocationRequest, Bytes, Client, ConnectOptions, Context, DeviceIndex, DeviceTruth, Kernel, Kind, Nanos,
    Operation, Permille,
};

pub(crate) const DEVICE: DeviceIndex = DeviceIndex(0);
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_vgpu-sim-kernel");

/// A directory with the socket of one machine. The machine ends with it.
pub(crate) struct Bed {
    directory: PathBuf,
    pub(crate) config: Option<PathBuf>,
}

impl Bed {
    /// A place where nothing runs yet.
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let directory =
                std::env::temp_dir().join(format!("vgpu-sim-test-{}-{number}", std::process::id()));
            match std::fs::create_dir(&directory) {
                Ok(()) => return Self { directory, config: None },
                // A run that was killed had this process id once.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => panic!("{}: {error}", directory.display()),
            }
        }
    }

    /// A place whose machine is described by this text.
    pub(crate) fn described(text: &str) -> Self {
        let mut bed = Self::new();
        let path = bed.directory.join("machine.toml");
        std::fs::write(&path, text).expect("a file in a directory of our own");
        bed.config = Some(path);
        bed
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.directory.join("sock")
    }

    pub(crate) fn options(&self, kind: Kind) -> ConnectOptions {
        let program = Some(PathBuf::from(PROGRAM));
        ConnectOptions { kind, socket: self.socket(), program, config: self.config.clone(), devices: None }
    }

    pub(crate) fn client(&self, kind: Kind) -> Client {
        Client::connect(&self.options(kind)).expect("a machine that starts on demand")
    }

    /// A driver library with a context on the first device.
    pub(crate) fn tenant(&self) -> (Client, Context) {
        let client = self.client(Kind::Cuda);
        let context = client.create_context(DEVICE).expect("room for a context");
        (client, context)
    }

    /// Runs the program against this place.
    pub(crate) fn program(&self, command: &str) -> Command {
        let mut program = Command::new(PROGRAM);
        program.arg(command).arg("--socket").arg(self.socket());
        program
    }

    /// The kernel processes of this place.
    pub(crate) fn servers(&self) -> Vec<i32> {
        let socket = self.socket();
        let pids = std::fs::read_dir("/proc")
            .expect("procfs")
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
        pids.filter(|pid| is_server(*pid, &socket)).collect()
    }
}

fn is_server(pid: i32, socket: &Path) -> bool {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<_> = line.split(|byte| *byte == 0).collect();
    words.get(1) == Some(&&b"serve"[..]) && words.contains(&socket.as_os_str().as_encoded_bytes())
}

impl Drop for Bed {
    fn drop(&mut self) {
        for pid in self.servers() {
            kill(pid);
        }
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// Kills a process that this test started, without a chance to clean up.
pub(crate) fn kill(pid: i32) {
    // SAFETY: a plain system call without pointers.
    unsafe { libc::kill(pid, libc::SIGKILL) };
}

/// Looks again and again until something is as it should be; generous, because it fails only when it never is.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What really happened on the first device.
pub(crate) fn truth(observer: &Client) -> DeviceTruth {
    observer.truth().expect("an observer").devices[0]
}

/// A kernel of so long that fills the device.
pub(crate) fn kernel(duration: Nanos) -> Operation {
    Operation::Kernel(Kernel { duration, sm: Permille::WHOLE, memory: Permille(0) })
}

pub(crate) fn linear(bytes: Bytes) -> AllocationRequest {
    AllocationRequest::Linear { bytes }
}
