//! What NVML tells, of the simulated card.

use std::path::{Path, PathBuf};
use std::time::Duration;

use contract::Bytes;
use plugin::inventory::Family;
use plugin::inventory::nvidia::{Nvidia, Patience};
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::sleep;

use crate::fake::soon;

/// Set where this program starts itself again, since the simulated driver is told by the environment where its machine is.
const CHILD: &str = "AGENT_TEST_LOOK";

fn nvml() -> PathBuf {
    staged("sim/550/libnvidia-ml.so.1")
}

/// Something of the stage.
pub(crate) fn staged(place: &str) -> PathBuf {
    let stage = std::env::var_os("VGPU_STAGE").expect("VGPU_STAGE names the stage: cargo xtask test");
    Path::new(&stage).join(place)
}

/// Waits so long for a look, and keeps NVML open for longer than a test lasts.
fn patience(look: Duration) -> Patience {
    Patience { look, open: Duration::from_secs(3600) }
}

/// A machine with its own socket, so that tests do not share one.
pub(crate) fn start(test: &str, variables: &[(&str, &str)]) {
    let directory = tempfile::tempdir().unwrap();
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, "1")
        .env("VGPU_SIM_SOCKET", directory.path().join("socket"))
        .envs(variables.iter().copied())
        .status()
        .unwrap();
    assert!(status.success());
}

pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

pub(crate) const LONG: Duration = Duration::from_secs(60);

#[test]
fn devices_are_described() {
    if !is_child() {
        return start("inventory::devices_are_described", &[("VGPU_SIM_DEVICES", "2")]);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let nvidia = Nvidia::start(nvml(), PathBuf::from("/nowhere"), patience(LONG)).unwrap();
    let look = runtime.block_on(nvidia.look()).unwrap();
    assert_eq!((look.gpus.len(), look.broken.len()), (2, 0));
    assert_eq!(look.driver.cuda, (12, 4));
    assert!(look.driver.version.starts_with("550."), "{}", look.driver.version);
    for (index, gpu) in (0..).zip(&look.gpus) {
        assert_eq!(gpu.index, index);
        assert_eq!(gpu.model, "NVIDIA H100 80GB HBM3");
        assert_eq!(gpu.memory, Bytes::from_mib(81_559).unwrap());
        assert_eq!((gpu.capability, gpu.mig, gpu.numa), ((9, 0), false, None));
    }
}

/// Ends with this.
struct Program(std::process::Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = (self.0.kill(), self.0.wait());
    }
}

#[test]
fn what_is_used_is_told_by_process() {
    if !is_child() {
        return start("inventory::what_is_used_is_told_by_process", &[]);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let nvidia = Nvidia::start(nvml(), PathBuf::from("/nowhere"), patience(LONG)).unwrap();
    let usage = || runtime.block_on(nvidia.usage(LONG)).unwrap().remove(0);
    let before = usage();
    assert_eq!((before.used, before.processes.len()), (Bytes(0), 0));
    assert!(before.reserved > Bytes(0) && before.busy.is_some());
    let stage = PathBuf::from(std::env::var_os("VGPU_STAGE").unwrap());
    let mut launcher = std::process::Command::new(stage.join("bin/launcher"));
    launcher.args(["medium", "--seconds", "0"]).env("LD_LIBRARY_PATH", stage.join("sim/550"));
    let program = Program(launcher.stdout(std::process::Stdio::null()).spawn().unwrap());
    let works = || {
        let now = usage();
        let [process] = now.processes[..] else { return false };
        assert_eq!(process.pid, program.0.id());
        process.used > Bytes(0) && process.used <= now.used && process.busy.is_some_and(|busy| busy > 50)
    };
    let began = std::time::Instant::now();
    while !works() {
        assert!(began.elapsed() < LONG, "{:?}", usage());
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_driver_that_hangs_is_not_waited_for_and_answers_later() {
    if !is_child() {
        return start("inventory::a_driver_that_hangs_is_not_waited_for_and_answers_later", &[]);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let nvidia = Nvidia::start(nvml(), PathBuf::from("/nowhere"), patience(LONG)).unwrap();
        nvidia.look().await.unwrap();
        let within = Duration::from_secs(1);
        let impatient = Nvidia::start(nvml(), PathBuf::from("/nowhere"), patience(within)).unwrap();
        soon("first answer", async { while impatient.look().await.is_err() {} }).await;
        let machine = Stopped::new();
        assert!(said(&impatient).await.contains("no answer within 1s"));
        // One more question waits for the one that hangs, and no third one.
        assert!(said(&impatient).await.contains("no answer within 1s"));
        assert!(said(&impatient).await.contains("still hangs in an earlier call"));
        drop(machine);
        soon("answer", async {
            while impatient.look().await.is_err() {
                sleep(within).await
            }
        })
        .await;
    });
}

async fn said(nvidia: &Nvidia) -> String {
    nvidia.look().await.unwrap_err().to_string()
}

/// The process that plays the driver, which does nothing until this is dropped.
struct Stopped(Pid);

impl Stopped {
    fn new() -> Self {
        let socket = std::env::var("VGPU_SIM_SOCKET").unwrap();
        let wanted = format!("\0serve\0--socket\0{socket}\0");
        let serves = |pid: &i32| {
            std::fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.contains(&wanted))
        };
        let processes = std::fs::read_dir("/proc").unwrap();
        let mut pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let pid = pids.find(serves).and_then(Pid::from_raw).expect("a machine");
        kill_process(pid, Signal::STOP).unwrap();
        Self(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        kill_process(self.0, Signal::CONT).unwrap();
    }
}

#[test]
fn no_driver_is_said_with_the_library_that_was_tried() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let nvidia =
        Nvidia::start(PathBuf::from("/nowhere/nvml.so"), PathBuf::from("/nowhere"), patience(LONG)).unwrap();
    let error = runtime.block_on(nvidia.look()).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/nvml.so: "), "{error}");
}
