//! A pool that one player creates and another one imports, and memory of it.

use super::Exchange;
use crate::medley::kinds::POOL_STEP;

/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`
const DESCRIPTOR: u64 = 1;

/// A piece of memory: its address where it was allocated, and where it was imported.
struct Piece {
    own: u64,
    imported: u64,
}

/// The importer lets go of a piece before its owner frees it, as CUDA requires; the pool may end in either order.
pub(super) fn happen(exchange: &mut Exchange<'_>) {
    let create = format!("cuMemPoolCreate out in={},1,0,0", 1 | DESCRIPTOR << 32);
    let pool = exchange.giver().does(&create)[0];
    let import = pass(exchange, pool);
    let mut pieces = Vec::new();
    for _ in 0..=exchange.random.below(3) {
        let bytes = exchange.random.bytes();
        let allocate = format!("cuMemAllocFromPoolAsync out {bytes} {pool} 0");
        if let Some(own) = exchange.granted(&allocate, bytes.next_multiple_of(POOL_STEP)) {
            pieces.push(Piece { own, imported: open(exchange, own, import) });
            exchange.judge();
        }
    }
    while !pieces.is_empty() {
        exchange.meanwhile();
        let piece = pieces.swap_remove(exchange.random.index(pieces.len()));
        for (player, address) in [(1, piece.imported), (0, piece.own)] {
            let free = if exchange.random.one_in(2) { "cuMemFree_v2" } else { "cuMemFreeAsync" };
            let stream = if free == "cuMemFreeAsync" { " 0" } else { "" };
            exchange.players[player].does(&format!("{free} {address}{stream}"));
            exchange.judge();
        }
    }
    let mut ends = [(0, pool), (1, import)];
    if exchange.random.one_in(2) {
        ends.reverse();
    }
    for (player, pool) in ends {
        exchange.players[player].does(&format!("cuMemPoolDestroy {pool}"));
        exchange.players[player].does("cuCtxSynchronize");
        exchange.judge();
    }
}

/// What the taker calls the pool.
fn pass(exchange: &mut Exchange<'_>, pool: u64) -> u64 {
    let export = format!("cuMemPoolExportToShareableHandle out {pool} {DESCRIPTOR} 0");
    let exported = exchange.giver().does(&export)[0];
    let passed = exchange.pass(exported);
    let import = format!("cuMemPoolImportFromShareableHandle out {passed} {DESCRIPTOR} 0");
    let import = exchange.taker().does(&import)[0];
    exchange.giver().does(&format!("close {exported}"));
    exchange.taker().does(&format!("close {passed}"));
    import
}

/// Where the taker finds what the giver has at `address`.
fn open(exchange: &mut Exchange<'_>, address: u64, import: u64) -> u64 {
    let words = exchange.giver().does(&format!("cuMemPoolExportPointer out*8 {address}"));
    let data = words.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    exchange.taker().does(&format!("cuMemPoolImportPointer out {import} in={data}"))[0]
}
