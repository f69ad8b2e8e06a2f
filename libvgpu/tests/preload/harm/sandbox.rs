//! Programs that forbid themselves what they no longer need.

use crate::machine::Machine;
use crate::puppet::Puppet;
use crate::run::Run;
use crate::stage;

#[test]
fn a_program_that_may_open_nothing_and_draw_no_random_number_is_refused_and_not_ended() {
    let machine = Machine::new();
    // Its neighbour's use makes the library look for the dead.
    let mut neighbour = Puppet::with_context(machine.limited("2g"));
    neighbour.allocate(512 << 20).unwrap();
    let run = Run::preloaded(machine.program("sandboxed.c"));
    assert_eq!(machine.in_container(machine.on(run), "2g").output(), "too much: 2\nof a pool: 0\n");
}

#[test]
fn the_library_draws_no_random_number_anywhere() {
    // What the standard library says when it ends the process for want of one.
    const NONE_TO_BE_HAD: &[u8] = b"failed to generate random data";
    let library = std::fs::read(stage::library()).unwrap();
    let draws = library.windows(NONE_TO_BE_HAD.len()).any(|text| text == NONE_TO_BE_HAD);
    assert!(!draws, "a map of the standard library needs one: use tracker::Table or a BTreeMap");
}
