//! The commands on the simulated card, with the library that is shipped.
//!
//! The stage is found in `$VGPU_STAGE`, or in `stage/` of cargo's target directory; `cargo xtask stage` builds it.

mod shares;

use std::env;
use std::io::{BufRead, BufReader, Lines, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const MIB: u64 = 1 << 20;

/// A user with a simulated machine of his own.
struct User {
    home: TempDir,
}

impl User {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        std::fs::set_permissions(home.path(), PermissionsExt::from_mode(0o700)).expect("mode");
        Self { home }
    }

    fn vgpu(&self, args: &[&str]) -> Command {
        let mut command = Command::new(staged("bin/vgpu"));
        command.args(args).env("XDG_RUNTIME_DIR", self.home.path());
        command.env("VGPU_SIM_SOCKET", self.home.path().join("sim/socket"));
        command
    }

    /// Sets the limit of `slice`; what that says on standard error.
    fn set_limit(&self, slice: &str, size: &str) -> String {
        let output = self.vgpu(&["limits", slice, "--memory", size]).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// The slice of `vgpu ps --json` whose supervisor is process `pid`.
    fn slice(&self, pid: u32) -> Value {
        self.find_slice(pid).expect("the slice is listed")
    }

    /// The same, unless it is not there yet.
    fn find_slice(&self, pid: u32) -> Option<Value> {
        let output = self.vgpu(&["ps", "--json"]).output().expect("it runs");
        let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let slices = document["slices"].as_array().expect("a list");
        slices.iter().find(|slice| slice["supervisor"] == pid).cloned()
    }
}

fn staged(place: &str) -> PathBuf {
    let beside_the_target = || Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("stage");
    let path = env::var_os("VGPU_STAGE").map_or_else(beside_the_target, PathBuf::from).join(place);
    assert!(path.exists(), "{} is missing: run `cargo xtask stage`, or set VGPU_STAGE", path.display());
    path
}

/// A program in a slice that makes the calls it is told to.
struct Puppet {
    child: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Puppet {
    fn start(user: &User) -> Self {
        Self::with(user, &["--memory", "1Gi"])
    }

    fn with(user: &User, options: &[&str]) -> Self {
        let puppet = staged("bin/puppet");
        let mut command = user.vgpu(&["run", "--sim"]);
        command.args(options).arg("--").arg(puppet);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let orders = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        Self { child, orders, answers }
    }

    fn tell(&mut self, line: &str) -> String {
        writeln!(self.orders, "{line}").expect("it reads");
        self.answers.next().expect("an answer").expect("text")
    }

    /// Makes a context.
    fn begin(&mut self) {
        assert_eq!(self.tell("cuInit 0"), "0");
        let context = self.tell("cuDevicePrimaryCtxRetain out 0");
        let context = context.split_whitespace().nth(1).expect("a context");
        assert_eq!(self.tell(&format!("cuCtxSetCurrent {context}")), "0");
    }

    /// Makes a context and an allocation of 400 MiB, and asks for more than there is.
    fn work(&mut self) {
        self.begin();
        assert!(self.tell(&format!("cuMemAlloc_v2 out {}", 400 * MIB)).starts_with("0 "));
        assert_eq!(self.tell(&format!("cuMemAlloc_v2 out {}", 1024 * MIB)), "2");
    }

    fn end(mut self) {
        drop(self.orders);
        self.child.wait().expect("it ends");
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn what_a_program_holds_is_listed() {
    let user = User::new();
    let mut puppet = Puppet::start(&user);
    puppet.work();
    let slice = user.slice(puppet.child.id());
    assert_eq!((&slice["error"], &slice["gpus"][0]["index"]), (&Value::Null, &0.into()));
    assert_eq!(
        (&slice["gpus"][0]["limit_bytes"], &slice["gpus"][0]["used_bytes"]),
        (&(1024 * MIB).into(), &(826 * MIB).into())
    );
    let process = &slice["processes"][0];
    assert_eq!(process["state"], "alive");
    assert!(process["command"].as_str().expect("a text").ends_with("bin/puppet"), "{process}");
    assert_eq!(process["refused_bytes"], 1024 * MIB);
    let usage = &process["gpus"][0];
    assert_eq!((&usage["used_bytes"], &usage["context_bytes"]), (&(826 * MIB).into(), &(426 * MIB).into()));
    assert_eq!((&usage["peak_bytes"], &usage["refused"]), (&(826 * MIB).into(), &1.into()));
    let table = text(&user.vgpu(&["ps"]).output().expect("it runs"));
    assert!(table.contains("826 MiB / 1024 MiB") && table.contains(" s ago "), "{table}");
    let frame = text(&user.vgpu(&["top", "--once"]).output().expect("it runs"));
    assert!(frame.contains("GPU 0 NVIDIA H100 80GB HBM3 [|"), "{frame}");
    puppet.end();
}

/// Numbers after the code of a call that must succeed.
fn numbers(answer: &str) -> Vec<u64> {
    let numbers = answer.strip_prefix("0 ").unwrap_or_else(|| panic!("{answer}"));
    numbers.split(' ').map(|number| number.parse().expect("a number")).collect()
}

#[test]
fn the_limit_of_a_running_slice_is_set_lowered_and_raised() {
    let user = User::new();
    let mut puppet = Puppet::with(&user, &[]);
    puppet.begin();
    let address = numbers(&puppet.tell(&format!("cuMemAlloc_v2 out {}", 600 * MIB)))[0];
    assert!(numbers(&puppet.tell("cuMemGetInfo_v2 out out"))[1] > 70_000 * MIB, "no limit yet");
    let slice = format!("run-{}", puppet.child.id());
    let set = |size| user.set_limit(&slice, size);
    // What was taken without a limit counts: 426 MiB of the context, 600 allocated.
    assert_eq!(set("2Gi"), "");
    assert_eq!(numbers(&puppet.tell("cuMemGetInfo_v2 out out")), [1022 * MIB, 2048 * MIB]);
    assert_eq!(puppet.tell(&format!("cuMemAlloc_v2 out {}", 1022 * MIB + 1)), "2");
    // Below what is held, nothing is taken away and nothing given.
    let warning = set("1000Mi");
    assert!(
        warning.contains("holds 1026 MiB of GPU 0") && warning.contains("nothing is taken away"),
        "{warning}"
    );
    assert_eq!(numbers(&puppet.tell("cuMemGetInfo_v2 out out")), [0, 1000 * MIB]);
    assert_eq!(puppet.tell("cuMemAlloc_v2 out 1"), "2");
    assert_eq!(puppet.tell(&format!("cuMemsetD8_v2 {address} 1 4096")), "0");
    assert_eq!(user.slice(puppet.child.id())["gpus"][0]["used_bytes"], 1026 * MIB);
    // NVML, and so nvidia-smi, says the same.
    assert_eq!(puppet.tell("nvmlInit_v2"), "0");
    let device = numbers(&puppet.tell("nvmlDeviceGetHandleByIndex_v2 0 out"))[0];
    let memory = numbers(&puppet.tell(&format!("nvmlDeviceGetMemoryInfo {device} out*3")));
    assert_eq!(memory[..2], [1000 * MIB, 0], "total and free");
    assert_eq!(set("0"), "");
    assert_eq!(numbers(&puppet.tell(&format!("cuMemAlloc_v2 out {}", 4096 * MIB))).len(), 1);
    let slice = user.slice(puppet.child.id());
    let gpu = &slice["gpus"][0];
    assert_eq!((&gpu["limit"], &gpu["refused"]), (&"none".into(), &2.into()));
    assert_eq!(gpu["refusals"][0]["class"], "linear");
    assert_eq!((&gpu["last_refused"]["bytes"], &gpu["last_refused"]["class"]), (&1.into(), &"linear".into()));
    assert_eq!(
        (&gpu["largest_refused_bytes"], &gpu["peak_bytes"]),
        (&(1022 * MIB + 1).into(), &(5122 * MIB).into())
    );
    puppet.end();
}

#[test]
fn a_tenant_that_spoils_its_account_is_reported_and_hurts_nobody_else() {
    let user = User::new();
    let [mut hostile, mut other] = [(); 2].map(|()| Puppet::start(&user));
    hostile.work();
    other.work();
    let region = user.slice(hostile.child.id())["region"].as_str().expect("a path").to_owned();
    // It writes that nobody holds anything, into both records of each of its cells.
    let mut bytes = std::fs::read(&region).expect("a region");
    for cell in bytes[143_360..4_337_664].chunks_mut(64) {
        cell[8..40].fill(0);
    }
    std::fs::OpenOptions::new()
        .write(true)
        .open(&region)
        .expect("a region")
        .write_all(&bytes)
        .expect("written");
    // To itself it may give what the card has, which the driver still refuses beyond that.
    assert_eq!(hostile.tell(&format!("cuMemAlloc_v2 out {}", 90 * 1024 * MIB)), "2");
    let slice = user.slice(other.child.id());
    assert_eq!((&slice["error"], &slice["gpus"][0]["used_bytes"]), (&Value::Null, &(826 * MIB).into()));
    assert_eq!(numbers(&other.tell("cuMemGetInfo_v2 out out")), [198 * MIB, 1024 * MIB]);
    assert_eq!(other.tell(&format!("cuMemAlloc_v2 out {}", 198 * MIB + 1)), "2");
    assert!(other.tell(&format!("cuMemAlloc_v2 out {}", 198 * MIB)).starts_with("0 "));
    std::fs::OpenOptions::new()
        .write(true)
        .open(&region)
        .expect("a region")
        .write_all(&[0; 8])
        .expect("written");
    let slice = user.slice(hostile.child.id());
    assert!(slice["error"].as_str().is_some_and(|error| error.contains("region")), "{slice}");
    let table = text(&user.vgpu(&["ps"]).output().expect("it runs"));
    assert!(table.contains("(broken: ") && table.contains("1024 MiB / 1024 MiB"), "{table}");
    hostile.end();
    other.end();
}

#[test]
fn nothing_stops_the_simulated_card() {
    let user = User::new();
    let output = user.vgpu(&["doctor", "--sim"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}
