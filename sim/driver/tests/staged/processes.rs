//! What other processes see.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::cuda::get;
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

fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60), "it did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}
