//! Physical memory that one player creates and another one imports.

use super::player::Player;
use super::random::Random;
use super::scene::Scene;
use crate::puppet::OUT_OF_MEMORY;

/// The granularity of physical memory.
const CHUNK: u64 = 2 << 20;

/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`
const DESCRIPTOR: u64 = 1;

/// Lets the first player create memory that the second one imports, and both let go of it, one before the other. The account
/// is judged while either has it.
pub(super) fn between(
    players: &mut [Player],
    scene: &mut Scene,
    random: &mut Random,
    place: &dyn Fn() -> String,
) {
    let bytes = random.bytes().next_multiple_of(CHUNK);
    let [creator, importer, ..] = players else { return };
    let (code, handle) = creator.call(&format!("cuMemCreate out {bytes} in={},1 0", 1 | DESCRIPTOR << 32));
    if code == OUT_OF_MEMORY {
        return;
    }
    let handle = handle[0];
    let exported = creator.does(&format!("cuMemExportToShareableHandle out {handle} {DESCRIPTOR} 0"))[0];
    let passed = scene.pass(creator, exported, importer);
    let imported = importer.does(&format!("cuMemImportFromShareableHandle out {passed} {DESCRIPTOR}"))[0];
    creator.does(&format!("close {exported}"));
    importer.does(&format!("close {passed}"));
    scene.assert_told_is_held(players, place);
    let mut releases = [(0, handle), (1, imported)];
    if random.one_in(2) {
        releases.reverse();
    }
    for (player, handle) in releases {
        players[player].does(&format!("cuMemRelease {handle}"));
        scene.assert_told_is_held(players, place);
    }
}
