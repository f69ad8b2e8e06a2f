//! The commands on the simulated card, with the library that is shipped.
//!
//! The stage is found in `$VGPU_STAGE`, or in `stage/` of cargo's target directory; `cargo xtask stage` builds it.

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

    /// The slice of `vgpu ps --json` whose supervisor is process `pid`.
    fn slice(&self, pid: u32) -> Value {
        let output = self.vgpu(&["ps", "--json"]).output().expect("it runs");
        let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let slices = document["slices"].as_array().expect("a list");
        slices.iter().find(|slice| slice["supervisor"] == pid).expect("the slice is listed").clone()
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
        let puppet = staged("bin/puppet");
        let mut command = user.vgpu(&["run", "--sim", "--memory", "1Gi", "--", &puppet.to_string_lossy()]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let orders = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        Self { child, orders, answers }
    }

    fn tell(&mut self, line: &str) -> String {
        writeln!(self.orders, "{line}").expect("it reads");
        self.answers.next().expect("an answer").expect("text")
    }

    /// Makes a context and an allocation of 400 MiB, and asks for more than there is.
    fn work(&mut self) {
        assert_eq!(self.tell("cuInit 0"), "0");
        let context = self.tell("cuDevicePrimaryCtxRetain out 0");
        let context = context.split_whitespace().nth(1).expect("a context");
        assert_eq!(self.tell(&format!("cuCtxSetCurrent {context}")), "0");
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

#[test]
fn nothing_stops_the_simulated_card() {
    let user = User::new();
    let output = user.vgpu(&["doctor", "--sim"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}
