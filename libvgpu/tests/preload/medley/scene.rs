//! The machine, who tells what the container uses, and who tells what is held.

use super::kinds;
use super::player::Player;
use super::random::LARGEST;
use crate::machine::{Machine, Watch};
use crate::puppet::Puppet;
use std::time::{Duration, Instant};

pub(super) struct Scene {
    machine: Machine,
    limit: u64,
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
        let mut monitor = Puppet::lasting(machine.limited(&limit.to_string()));
        monitor.does("nvmlInit_v2");
        let device = monitor.does("nvmlDeviceGetHandleByIndex_v2 0 out")[0];
        Self { machine, limit, watch, monitor, device }
    }

    /// Another process of the container.
    pub(super) fn player(&self) -> Player {
        Player::new(Puppet::lasting(self.machine.limited(&self.limit.to_string())))
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

    /// Answers with what is told.
    pub(super) fn assert_told_is_held(&mut self, place: &dyn Fn() -> String) -> u64 {
        let books = self.books();
        assert!(books.agree(), "{books:?}: {}", place());
        assert!(books.held <= self.limit, "{books:?} of {}: {}", self.limit, place());
        books.told
    }

    /// Waits until what a killed process held is back.
    pub(super) fn settle(&mut self) {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(20) {
            if self.books().agree() {
                return;
            }
        }
        panic!("what a killed process held is not given back: {:?}", self.books());
    }

    /// The machine was never asked for what it did not have, and held no more than the limit but for moments: a pool in pieces
    /// may have grown for a request, which was then undone.
    pub(super) fn assert_within_limit(&mut self) {
        let truth = self.watch.truth();
        assert!(truth["device.0.charged_peak"] <= self.limit + LARGEST + kinds::POOL_STEP, "{truth:?}");
        assert_eq!(truth["device.0.refused"], 0, "{truth:?}");
    }
}
