//! Every kind of memory, taken and given back at random by threads of several processes, and judged after each step: what
//! the container is told that it uses is what the machine holds, and nothing is refused that would have fitted.
//!
//! One step is done at a time, so that a seed names a run. Many at a time are in [`crate::limit`].
//!
//! `VGPU_TEST_STEPS` and `VGPU_TEST_SEED` in the environment make it longer, and another.

mod exchange;
mod kinds;
mod player;
mod random;
mod scene;

use crate::machine::CONTEXT;
use crate::variable::number;
use exchange::Exchange;
use random::Random;
use scene::Scene;

const MIB: u64 = 1 << 20;

/// Bytes of the card that all players together may take.
const LIMIT: u64 = 5 << 30;

const PLAYERS: usize = 3;

/// One step in so many changes the limit, up to so many bytes.
const CHANGE: u64 = 300;
const HIGHEST: u64 = 10 << 30;

/// One step in so many has two players share memory.
const SHARE: u64 = 200;

/// One step in so many kills a player.
const KILL: u64 = 2000;

#[test]
fn what_is_told_is_what_is_held_after_every_step() {
    let (steps, seed) = (number("VGPU_TEST_STEPS", 20_000), number("VGPU_TEST_SEED", 1));
    let mut random = Random::new(seed);
    let mut scene = Scene::new(LIMIT);
    let mut players: Vec<_> = (0..PLAYERS).map(|_| scene.player()).collect();
    let (mut refused, mut killed) = (0, 0);
    for step in 0..steps {
        let player = random.index(PLAYERS);
        if random.one_in(KILL) {
            players.swap_remove(player).kill();
            scene.settle(&mut players);
            // So that there is room for a context.
            scene.change_limit(HIGHEST);
            players.push(scene.player());
            killed += 1;
            continue;
        }
        if random.one_in(CHANGE) {
            scene.change_limit(1 + random.below(HIGHEST));
        }
        if random.one_in(SHARE) {
            players.swap(0, player);
            let place = || format!("seed {seed}, step {step}: an exchange");
            Exchange::between(&mut players, &mut scene, &mut random, &place).happen();
            continue;
        }
        let done = players[player].step(&mut random);
        scene.judge(&mut players, &done, &|| format!("seed {seed}, step {step}: {done:?}"));
        refused += u64::from(done.is_refused);
    }
    players.iter_mut().for_each(player::Player::give_all);
    let told = scene.assert_told_is_held(&mut players, &|| format!("seed {seed}: all is given back"));
    assert_eq!(told, PLAYERS as u64 * CONTEXT);
    scene.assert_within_limit();
    println!("{steps} steps, {refused} refused, {killed} killed");
    assert!(refused > steps / 100 && refused < steps / 2, "{refused} refused of {steps}: not much of a test");
}
