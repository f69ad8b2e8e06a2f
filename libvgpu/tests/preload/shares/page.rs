//! Shares of a limits page, which its owner changes while programs run.

use crate::machine::Machine;
use crate::patience::eventually;
use crate::run::Run;
use crate::supervisor::Supervisor;
use contract::limits_page::Effective;
use contract::{Permille, env};
use shared_region::SharesFile;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A container on a machine of one GPU, and who writes its page.
struct Scene {
    machine: Machine,
    supervisor: Supervisor,
}

impl Scene {
    /// The first page gives such a share; `None`: no limit.
    fn giving(share: Option<u8>) -> Self {
        let machine = Machine::new();
        let supervisor = Supervisor::of(&machine);
        supervisor.publish(&supervisor.share(share));
        Self { machine, supervisor }
    }

    fn change(&self, share: Option<u8>) {
        self.supervisor.change(&self.supervisor.share(share));
    }

    /// The C program `source` in the container.
    fn tenant(&self, source: &str) -> Run {
        let run = self.machine.on(Run::preloaded(self.machine.program(source)));
        self.supervisor.over(run).env(env::REGION, self.machine.path("region"))
    }
}

/// What `launches` says: how many milliseconds it took.
fn milliseconds(said: &str) -> u64 {
    said.trim().parse().unwrap()
}

#[test]
fn a_page_without_a_share_has_nobody_measure() {
    let scene = Scene::giving(None);
    let natively = scene.machine.on(Run::natively(scene.machine.program("quiet.c"))).output();
    assert_eq!(scene.tenant("quiet.c").output(), natively);
}

#[test]
fn who_waits_is_let_go_when_the_share_is_lifted() {
    let scene = Scene::giving(Some(1));
    let program = scene.tenant("launches.c").arg("kernel").arg("400").arg("2000");
    let took = std::thread::scope(|scope| {
        let program = scope.spawn(|| milliseconds(&program.output()));
        eventually("a first kernel", || (scene.machine.truth()["device.0.kernels"] > 5).then_some(()));
        scene.change(None);
        program.join().unwrap()
    });
    // 800 ms of GPU time are 80 s at one percent.
    assert!(took < 60_000, "{took} ms");
}

#[test]
fn a_share_that_comes_while_a_program_runs_holds_from_the_next_launch_on() {
    let took = (0..10).find_map(|_| took_with_a_share_that_comes()).expect("a share that comes soon");
    // Natively it is 3 s. At least 276 launches of 2 ms, each of which waits for its time at ten percent, are 5.5 s.
    assert!(took >= 4_500, "{took} ms");
}

/// How long 1,500 launches of 2 ms take if a share of ten percent comes while they go on. A stream holds 1,024 of them: `None`
/// where it came after another 200.
fn took_with_a_share_that_comes() -> Option<u64> {
    let scene = Scene::giving(None);
    let program = scene.tenant("launches.c").arg("kernel").arg("1500").arg("2000");
    let kernels = || scene.machine.truth()["device.0.kernels"];
    std::thread::scope(|scope| {
        let program = scope.spawn(|| milliseconds(&program.output()));
        eventually("a first kernel", || (kernels() > 5).then_some(()));
        scene.change(Some(10));
        let is_soon = kernels() < 200;
        let took = program.join().unwrap();
        is_soon.then_some(took)
    })
}

#[test]
fn a_closed_gate_lets_one_launch_through_now_and_then() {
    let scene = Scene::giving(None);
    let is_over = AtomicBool::new(false);
    let took = std::thread::scope(|scope| {
        let keeper = scope.spawn(|| {
            let page = SharesFile::open(&scene.supervisor.file()).unwrap();
            while !is_over.load(Ordering::Relaxed) {
                let effective = Effective { share: Permille::ALL, is_gated: true, at: now() };
                page.allow(0, Some(effective)).unwrap();
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        eventually("a closed gate", || SharesFile::open(&scene.supervisor.file()).unwrap().allowed(0));
        let took = milliseconds(&scene.tenant("launches.c").arg("kernel").arg("20").arg("1000").output());
        is_over.store(true, Ordering::Relaxed);
        keeper.join().unwrap();
        took
    });
    // One launch in 100 ms.
    assert!(took >= 1_800, "{took} ms");
}

/// The time of the clock that pages are written by.
fn now() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is valid for writing.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) }, 0);
    Duration::new(now.tv_sec.try_into().unwrap(), now.tv_nsec.try_into().unwrap())
}
