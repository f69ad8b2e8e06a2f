//! What one player shares with another, who may have it longer. A kind a file.

mod names;
mod physical;
mod pools;

use super::player::Player;
use super::random::Random;
use super::scene::Scene;

/// The most steps that players take before an exchange goes on.
const MEANWHILE: u64 = 4;

/// Two players who share something.
pub(super) struct Exchange<'a> {
    /// Whose it is, who gets it, and others.
    players: &'a mut [Player],
    scene: &'a mut Scene,
    random: &'a mut Random,
    place: &'a dyn Fn() -> String,
}

impl<'a> Exchange<'a> {
    pub(super) const fn between(
        players: &'a mut [Player],
        scene: &'a mut Scene,
        random: &'a mut Random,
        place: &'a dyn Fn() -> String,
    ) -> Self {
        Self { players, scene, random, place }
    }

    /// Has the first player share something with the second one, until neither has it any more.
    pub(super) fn happen(self) {
        let place = self.place;
        let (what, happen): (_, fn(&mut Exchange<'_>)) = match self.random.below(3) {
            0 => ("physical memory", physical::happen),
            1 => ("a name", names::happen),
            _ => ("a pool", pools::happen),
        };
        let place = || format!("{}, of {what}", place());
        let Exchange { players, scene, random, .. } = self;
        happen(&mut Exchange { players, scene, random, place: &place });
    }

    const fn giver(&mut self) -> &mut Player {
        &mut self.players[0]
    }

    const fn taker(&mut self) -> &mut Player {
        &mut self.players[1]
    }

    /// What a call of the giver's that takes `needs` bytes wrote; `None` if it was refused, as it must have been.
    fn granted(&mut self, line: &str, needs: u64) -> Option<u64> {
        let done = self.giver().attempt(line, needs);
        self.scene.judge(self.players, &done, self.place);
        done.written
    }

    /// Passes a descriptor of the giver's to the taker, who gets one of his own.
    fn pass(&mut self, descriptor: u64) -> u64 {
        let [giver, taker, ..] = &mut *self.players else { panic!("an exchange is between two") };
        self.scene.pass(giver, descriptor, taker)
    }

    fn judge(&mut self) {
        self.scene.assert_told_is_held(self.players, self.place);
    }

    /// Anybody does something else.
    fn meanwhile(&mut self) {
        for _ in 0..self.random.below(MEANWHILE) {
            let player = self.random.index(self.players.len());
            let done = self.players[player].step(self.random);
            self.scene.judge(self.players, &done, &|| format!("{}, meanwhile {done:?}", (self.place)()));
        }
    }
}
