//! What other processes see.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cuda_sys::CUresult;

use crate::cuda::{call, get};
use crate::scene::Play;

#[test]
fn memory_of_a_killed_process_is_free_again() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        if std::env::var_os("SIM_DRIVER_TEST_VICTIM").is_some() {
            let _: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 1 << 30));
            std::thread::sleep(Duration::from_secs(600));
        }
        let mut victim = Command::new("/proc/self/exe")
            .args(std::env::args_os().skip(1))
            .env("SIM_DRIVER_TEST_VICTIM", "1")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        wait_until(|| scene.truth().requested.0 == 1 << 30);
        assert_eq!(scene.truth().contexts, 2);
        victim.kill().unwrap();
        victim.wait().unwrap();
        wait_until(|| scene.truth().requested.0 == 0);
        wait_until(|| scene.truth().contexts == 1);
    });
}

#[test]
fn a_machine_that_dies_takes_no_call_with_it() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        kill_machine();
        let mut address = 0;
        let code = call!(scene.cuda, cuMemAlloc_v2(&raw mut address, 1));
        assert_eq!((code, address), (CUresult::UNKNOWN, 0));
        assert_eq!(get!(scene.cuda, cuDeviceGetCount(_)), 1);
    });
}

/// Kills the machine of this test: the process that has the socket's name among its arguments.
fn kill_machine() {
    let socket = std::env::var_os("VGPU_SIM_SOCKET").expect("every test has a machine");
    let is_machine = |pid: i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == socket.as_encoded_bytes())
    };
    let pids =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let machine = pids.into_iter().find(|pid| is_machine(*pid)).expect("a machine");
    // SAFETY: the process that this test has started by its first call.
    assert_eq!(unsafe { libc::kill(machine, libc::SIGKILL) }, 0);
    wait_until(|| !is_machine(machine));
}

fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60), "it did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}
