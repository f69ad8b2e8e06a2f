//! Shares of a limits page, which its owner changes while programs run.

use super::judge::inconclusive;
use crate::machine::Machine;
use crate::patience::eventually;
use crate::run::Run;
use crate::supervisor::Supervisor;
use contract::limits_page::Effective;
use contract::{Permille, env};
use shared_region::SharesFile;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A container on a machine, and who writes its page.
struct Scene {
    machine: Machine,
    supervisor: Supervisor,
}

impl Scene {
    /// One GPU, of which the first page gives such a share; `None`: no limit.
    fn giving(share: Option<u8>) -> Self {
        Self::on(Machine::new(), share)
    }

    /// The first page gives such a share of each GPU.
    fn on(machine: Machine, share: Option<u8>) -> Self {
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
    let program = scene.tenant("launches.c").arg("kernel").arg("1000").arg("2000");
    let took = std::thread::scope(|scope| {
        let program = scope.spawn(|| milliseconds(&program.output()));
        eventually("a first kernel", || (scene.machine.truth()["device.0.kernels"] > 5).then_some(()));
        scene.change(None);
        program.join().unwrap()
    });
    // Two seconds of GPU time are 200 s at one percent.
    assert!(took < 180_000, "{took} ms");
}

#[test]
fn a_share_that_comes_while_a_program_runs_holds_from_the_next_launch_on() {
    match (0..10).find_map(|_| took_with_a_share_that_comes()) {
        // Natively it is 3 s. At least 276 launches of 2 ms, each of which waits for its time at ten percent, are 5.5 s.
        Some(took) => assert!(took >= 4_500, "{took} ms"),
        None => inconclusive("the share came late in each of 10 runs"),
    }
}

/// How long 1,500 launches of 2 ms take if a share of ten percent comes while they go on. A stream holds 1,024 of them: `None`
/// where it came after another 200.
fn took_with_a_share_that_comes() -> Option<u64> {
    let scene = Scene::giving(None);
    let program = scene.tenant("launches.c").arg("kernel").arg("1500").arg("2000");
    let mut watch = scene.machine.watch();
    let mut kernels = || watch.truth()["device.0.kernels"];
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
    passes_now_and_then(&scene, 1, "kernel");
}

#[test]
fn a_closed_gate_holds_back_launches_on_several_devices_too() {
    let scene = Scene::on(Machine::with("550", 2), None);
    passes_now_and_then(&scene, 2, "together");
}

/// While the gates of so many GPUs are closed, one of the launches by `path` is let through in 100 ms.
#[track_caller]
fn passes_now_and_then(scene: &Scene, gpus: usize, path: &str) {
    match (0..10).find_map(|_| took_behind_closed_gates(scene, gpus, path)) {
        Some(took) => assert!(took >= 1_800, "{took} ms"),
        None => inconclusive("the machine kept the gates from being renewed in each of 10 runs"),
    }
}

/// How many milliseconds 20 launches by `path` take; `None` where a gate was open meanwhile, as it was renewed too late.
fn took_behind_closed_gates(scene: &Scene, gpus: usize, path: &str) -> Option<u64> {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let gates = scope.spawn(|| keep_closed(scene, gpus, &is_over));
        let took = scope.spawn(|| {
            let is_closed = || SharesFile::open(&scene.supervisor.file()).unwrap().allowed(gpus - 1);
            eventually("closed gates", is_closed);
            milliseconds(&scene.tenant("launches.c").arg(path).arg("20").arg("1000").output())
        });
        let took = took.join();
        is_over.store(true, Ordering::Relaxed);
        let were_closed = gates.join().unwrap();
        let took = took.unwrap();
        were_closed.then_some(took)
    })
}

/// Keeps the gates of so many GPUs closed until it is over. Says whether they were so all the time.
fn keep_closed(scene: &Scene, gpus: usize, is_over: &AtomicBool) -> bool {
    let page = SharesFile::open(&scene.supervisor.file()).unwrap();
    let (mut last, mut were_closed) = (now(), true);
    while !is_over.load(Ordering::Relaxed) {
        let at = now();
        let effective = Effective { share: Permille::ALL, is_gated: true, at };
        (0..gpus).for_each(|gpu| page.allow(gpu, Some(effective)).unwrap());
        were_closed &= now() < last + Effective::HOLDS_FOR;
        last = at;
        std::thread::sleep(Duration::from_millis(50));
    }
    were_closed && now() < last + Effective::HOLDS_FOR
}

/// The time of the clock that pages are written by.
fn now() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is valid for writing.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) }, 0);
    Duration::new(now.tv_sec.try_into().unwrap(), now.tv_nsec.try_into().unwrap())
}
