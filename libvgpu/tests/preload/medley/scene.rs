//! The machine, who tells what the container uses, and who tells what is held.

use super::kinds;
use super::player::{Done, Player};
use super::random::LARGEST;
use crate::machine::{Machine, Watch};
use crate::puppet::Puppet;
use crate::supervisor::Supervisor;
use std::fs;
use std::time::{Duration, Instant};

/// Bytes of the code that a process may load.
const IMAGES: [u64; 3] = [4 << 10, 3 << 20, 32 << 20];

/// How long a process may leave unseen that it has less. Who has looked may rest for two seconds, and looks late on a machine
/// with much else to do.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) struct Scene {
    machine: Machine,
    supervisor: Supervisor,
    limit: u64,
    /// What was held after the last step.
    held: u64,
    /// The highest limit that there was.
    highest: u64,
    images: Vec<String>,
    watch: Watch,
    /// A process of the container that has no context.
    monitor: Puppet,
    device: u64,
}

/// Bytes of the first GPU.
#[derive(Debug)]
struct Books {
    /// What the container is told it uses.
    told: u64,
    /// What the machine holds for it, as it was asked for.
    held: u64,
    /// The same in whole chunks: more where small allocations leave much of their chunks unused.
    taken: u64,
}

impl Books {
    /// What is told is what is held, but for chunks that are mostly unused: those may be told as they are taken.
    fn agree(&self) -> bool {
        self.told >= self.held && self.told <= self.held.max(self.taken)
    }
}

impl Scene {
    pub(super) fn new(limit: u64) -> Self {
        let machine = Machine::new();
        let watch = machine.watch();
        let supervisor = Supervisor::of(&machine);
        supervisor.publish(&supervisor.memory(Some(limit)));
        let images = IMAGES.iter().map(|bytes| image(&machine, *bytes)).collect();
        // With a limit that nothing reaches: the figure of what is used is never above it.
        let mut monitor = Puppet::lasting(machine.limited("70g"));
        monitor.does("nvmlInit_v2");
        let device = monitor.does("nvmlDeviceGetHandleByIndex_v2 0 out")[0];
        Self { machine, supervisor, limit, held: 0, highest: limit, images, watch, monitor, device }
    }

    /// Another process of the container.
    pub(super) fn player(&self) -> Player {
        let run = self.supervisor.over(self.machine.tenant()).env("CUDA_MODULE_LOADING", "EAGER");
        Player::new(Puppet::lasting(run), &self.images)
    }

    /// Says that the container may have so much from now on.
    pub(super) fn change_limit(&mut self, limit: u64) {
        self.supervisor.change(&self.supervisor.memory(Some(limit)));
        self.limit = limit;
        self.highest = self.highest.max(limit);
    }

    fn books(&mut self) -> Books {
        self.monitor.tell(&format!("nvmlDeviceGetMemoryInfo {} out*3", self.device));
        let truth = self.watch.truth();
        let answer = self.monitor.hear();
        let told = answer.split(' ').nth(3).and_then(|word| word.parse().ok());
        let figure = |name: &str| truth[&format!("device.0.{name}")];
        Books {
            told: told.unwrap_or_else(|| panic!("{answer}")),
            held: figure("charged"),
            taken: figure("resident") - figure("managed_resident") + figure("managed"),
        }
    }

    /// Answers with what is told. What the players have without having asked for it by size they look at now and then: that
    /// it is less they may learn a little later.
    pub(super) fn assert_told_is_held(&mut self, players: &mut [Player], place: &dyn Fn() -> String) -> u64 {
        let books = self.settled_books(players);
        assert!(books.agree(), "{books:?}: {}", place());
        let most = self.limit.max(self.held);
        assert!(books.held <= most, "{books:?} of {}: {}", self.limit, place());
        self.held = books.held;
        books.told
    }

    /// Judges what a player has done: what is told is what is held, and nothing is refused that would have fitted.
    pub(super) fn judge(&mut self, players: &mut [Player], done: &Done, place: &dyn Fn() -> String) {
        let told = self.assert_told_is_held(players, place);
        assert!(
            !done.is_refused || told + done.needs > self.limit,
            "refused with {told} of {} told: {}",
            self.limit,
            place()
        );
    }

    /// Passes a descriptor from one player to another, which gets one of its own.
    pub(super) fn pass(&self, from: &mut Player, descriptor: u64, to: &mut Player) -> u64 {
        from.pass(descriptor, to, &self.machine.path("descriptor"))
    }

    /// Waits until what a killed process held is back. What the others have been charged too much for may have been hidden by
    /// chunks of its that were mostly unused.
    pub(super) fn settle(&mut self, others: &mut [Player]) {
        let books = self.settled_books(others);
        assert!(books.agree(), "what a killed process held is not given back: {books:?}");
    }

    /// The books once they agree, or after a while.
    fn settled_books(&mut self, players: &mut [Player]) -> Books {
        let start = Instant::now();
        let mut books = self.books();
        while books.told > books.held.max(books.taken) && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
            players.iter_mut().for_each(Player::look);
            books = self.books();
        }
        books
    }

    /// The machine was never asked for what it did not have, and held no more than the limit but for moments: a pool in pieces
    /// may have grown for a request, which was then undone.
    pub(super) fn assert_within_limit(&mut self) {
        let truth = self.watch.truth();
        assert!(truth["device.0.charged_peak"] <= self.highest + LARGEST + kinds::POOL_STEP, "{truth:?}");
        assert_eq!(truth["device.0.refused"], 0, "{truth:?}");
    }
}

/// The path of an image with so much code.
fn image(machine: &Machine, code: u64) -> String {
    let path = machine.path(&format!("image-{code}"));
    fs::write(&path, format!("SIMKERN v1\ncode={code}\nname=k\n")).unwrap();
    path.to_str().unwrap().to_owned()
}
