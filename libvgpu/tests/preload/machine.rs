//! A simulated machine of one test, and programs on it.

use crate::compile;
use crate::patience::eventually;
use crate::puppet::Puppet;
use crate::run::Run;
use crate::scratch::Scratch;
use crate::stage;
use contract::Uuid;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The driver branches that are simulated.
pub(crate) const BRANCHES: [&str; 6] = ["470", "535", "550", "570", "580", "615"];

/// Those of them that have what today's clients ask for: branch 470 has neither `cuGetProcAddress_v2` nor the newer forms
/// of NVML's memory and process queries.
pub(crate) const MODERN: [&str; 5] = ["535", "550", "570", "580", "615"];

/// Bytes of a device that a context takes.
pub(crate) const CONTEXT: u64 = 426 << 20;

/// A machine with GPUs of its own, which no other test sees.
pub(crate) struct Machine {
    scratch: Scratch,
    branch: &'static str,
    /// While somebody is connected, the machine stays and keeps its books.
    _connection: UnixStream,
}

impl Machine {
    /// One GPU under the simulated driver that is the default.
    pub(crate) fn new() -> Self {
        Self::with("550", 1)
    }

    pub(crate) fn with(branch: &'static str, devices: u32) -> Self {
        Self::started(branch, &["--devices", &devices.to_string()])
    }

    /// One GPU that seems to be used by 37 percent, its memory by 5, as does each process on it.
    pub(crate) fn frozen(branch: &'static str) -> Self {
        Self::started(branch, &["--freeze", "37,5"])
    }

    fn started(branch: &'static str, arguments: &[&str]) -> Self {
        let scratch = Scratch::new();
        let socket = scratch.path().join("socket");
        let mut start = Command::new(stage::file("bin/vgpu-sim-kernel"));
        start.arg("start").arg("--socket").arg(&socket).args(["--idle-ms", "0"]).args(arguments);
        assert!(start.status().unwrap().success(), "the simulated machine does not start");
        let connection = UnixStream::connect(socket).unwrap();
        Self { scratch, branch, _connection: connection }
    }

    /// The test's own directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// A directory of the test.
    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        self.scratch.directory(name)
    }

    /// `run` with this machine's driver.
    pub(crate) fn on(&self, run: Run) -> Run {
        run.libraries(&stage::file(&format!("sim/{}", self.branch)))
            .env("VGPU_SIM_SOCKET", self.path("socket"))
            .env("VGPU_SIM_KERNEL", stage::file("bin/vgpu-sim-kernel"))
    }

    /// A puppet without the library.
    pub(crate) fn native(&self) -> Run {
        self.on(Run::natively(stage::file("bin/puppet")))
    }

    /// A puppet with the library and no limit.
    pub(crate) fn preloaded(&self) -> Run {
        self.on(Run::preloaded(stage::file("bin/puppet")))
    }

    /// A puppet in the container of this test, which may take so much of each GPU.
    pub(crate) fn limited(&self, limit: &str) -> Run {
        self.in_container(self.preloaded(), limit)
    }

    /// `run` in the container of this test, which may take so much of each GPU.
    pub(crate) fn in_container(&self, run: Run, limit: &str) -> Run {
        run.env("CUDA_DEVICE_MEMORY_LIMIT", limit).env("CUDA_DEVICE_MEMORY_SHARED_CACHE", self.path("region"))
    }

    /// The C program `source`, linked with this machine's driver.
    pub(crate) fn program(&self, source: &str) -> PathBuf {
        let driver = stage::file(&format!("sim/{}/libcuda.so.1", self.branch));
        compile::program(self.scratch.path(), source, &[driver.to_str().unwrap()])
    }

    /// A puppet in the container of this test; its limits are yet to be said.
    pub(crate) fn tenant(&self) -> Run {
        self.preloaded().env("CUDA_DEVICE_MEMORY_SHARED_CACHE", self.path("region"))
    }

    /// The GPUs, as limits pages name them.
    pub(crate) fn gpus(&self) -> Vec<Uuid> {
        let mut puppet = Puppet::start(self.native());
        puppet.does("nvmlInit_v2");
        let count = puppet.does("nvmlDeviceGetCount_v2 out")[0];
        let uuid = |index| {
            let device = puppet.does(&format!("nvmlDeviceGetHandleByIndex_v2 {index} out"))[0];
            let answer = puppet.ask(&format!("nvmlDeviceGetUUID {device} text 96"));
            answer.trim_start_matches("0 ").parse().unwrap()
        };
        (0..count).map(uuid).collect()
    }

    /// The process that plays the kernel driver, through which everything goes that a program has the GPUs do.
    pub(crate) fn kernel(&self) -> u32 {
        let socket = self.path("socket");
        let arguments = |pid: &u32| std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok();
        let serves = |pid: &u32| {
            arguments(pid).is_some_and(|arguments| {
                let mut arguments = arguments.split('\0').skip(1);
                arguments.next() == Some("serve") && arguments.any(|argument| socket.as_os_str() == argument)
            })
        };
        // One that has just begun may not have its arguments yet.
        eventually("the process behind the socket", || {
            let processes = std::fs::read_dir("/proc").unwrap().flatten();
            let mut pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            pids.find(serves)
        })
    }

    /// What really happened: a figure a name, as in `device.0.requested`.
    pub(crate) fn truth(&self) -> BTreeMap<String, u64> {
        let mut ask = Command::new(stage::file("bin/vgpu-sim-kernel"));
        let output = ask.arg("truth").arg("--socket").arg(self.path("socket")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(figure).collect()
    }

    /// The same for a test that asks often.
    pub(crate) fn watch(&self) -> Watch {
        let mut watch = Command::new(stage::file("bin/vgpu-sim-kernel"));
        watch.arg("watch").arg("--socket").arg(self.path("socket"));
        let mut child = watch.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Watch { child, input, output: BufReader::new(output) }
    }
}

/// Tells what really happened on a machine. Its program ends when it is dropped.
pub(crate) struct Watch {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Watch {
    /// As [`Machine::truth`].
    pub(crate) fn truth(&mut self) -> BTreeMap<String, u64> {
        self.input.write_all(b"\n").unwrap();
        let lines = (&mut self.output).lines().map(Result::unwrap);
        lines.take_while(|line| !line.is_empty()).map(|line| figure(&line)).collect()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It may have ended with the machine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn figure(line: &str) -> (String, u64) {
    let (name, value) = line.split_once(' ').unwrap();
    (name.to_owned(), value.parse().unwrap())
}

/// What puppets on `machine` answer to `script`, natively and preloaded without a limit.
pub(crate) fn both_ways(machine: &Machine, script: &[&str]) -> [Vec<String>; 2] {
    [machine.native(), machine.preloaded()].map(|run| {
        let mut puppet = Puppet::start(run);
        script.iter().map(|line| puppet.ask(line)).collect()
    })
}
