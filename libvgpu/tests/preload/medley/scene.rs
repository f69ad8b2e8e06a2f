//! The machine, who tells what the container uses, and who tells what is held.

use super::kinds;
use super::player::Player;
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

    /// Bytes that the container is told it uses, and those that the machine holds for it.
    fn books(&mut self) -> (u64, u64) {
        self.monitor.tell(&format!("nvmlDeviceGetMemoryInfo {} out*3", self.device));
        let held = self.watch.truth()["device.0.charged"];
        let answer = self.monitor.hear();
        let told = answer.split(' ').nth(3).and_then(|word| word.parse().ok());
        (told.unwrap_or_else(|| panic!("{answer}")), held)
    }

    /// Answers with what is told.
    pub(super) fn assert_told_is_held(&mut self, place: &dyn Fn() -> String) -> u64 {
        let (told, held) = self.books();
        assert_eq!(told, held, "told and held: {}", place());
        assert!(held <= self.limit, "{held} of {} held: {}", self.limit, place());
        told
    }

    /// Waits until what a killed process held is back.
    pub(super) fn settle(&mut self) {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(20) {
            let (told, held) = self.books();
            if told == held {
                return;
            }
        }
        panic!("what a killed process held is not given back: {:?} told and held", self.books());
    }

    /// The machine was never asked for what it did not have, and held no more than the limit; a pool in pieces may have
    /// grown by a step which was then undone.
    pub(super) fn assert_within_limit(&mut self) {
        let truth = self.watch.truth();
        assert!(truth["device.0.charged_peak"] <= self.limit + kinds::POOL_STEP, "{truth:?}");
        assert_eq!(truth["device.0.refused"], 0, "{truth:?}");
    }
}
