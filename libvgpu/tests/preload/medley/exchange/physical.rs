//! Physical memory that one player creates and another one imports.

use super::Exchange;

/// The granularity of physical memory.
const CHUNK: u64 = 2 << 20;

/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`
const DESCRIPTOR: u64 = 1;

/// Both let go of it, one before the other.
pub(super) fn happen(exchange: &mut Exchange<'_>) {
    let bytes = exchange.random.bytes().next_multiple_of(CHUNK);
    let create = format!("cuMemCreate out {bytes} in={},1 0", 1 | DESCRIPTOR << 32);
    let Some(handle) = exchange.granted(&create, bytes) else { return };
    let exported =
        exchange.giver().does(&format!("cuMemExportToShareableHandle out {handle} {DESCRIPTOR} 0"))[0];
    let passed = exchange.pass(exported);
    let imported =
        exchange.taker().does(&format!("cuMemImportFromShareableHandle out {passed} {DESCRIPTOR}"))[0];
    exchange.giver().does(&format!("close {exported}"));
    exchange.taker().does(&format!("close {passed}"));
    exchange.judge();
    // How much an import is, nobody knows before it is mapped: until then it may be charged as something unseen.
    let mapped = exchange.random.one_in(2).then(|| map(exchange, bytes, imported));
    let mut releases = [(0, handle), (1, imported)];
    if exchange.random.one_in(2) {
        releases.reverse();
    }
    for (player, handle) in releases {
        if mapped.is_some() {
            exchange.meanwhile();
        }
        exchange.players[player].does(&format!("cuMemRelease {handle}"));
        exchange.judge();
    }
    if let Some(address) = mapped {
        exchange.meanwhile();
        exchange.taker().does(&format!("cuMemUnmap {address} {bytes}"));
        exchange.taker().does(&format!("cuMemAddressFree {address} {bytes}"));
        exchange.judge();
    }
}

/// Where the taker has mapped what he has imported; so he keeps it when he releases it.
fn map(exchange: &mut Exchange<'_>, bytes: u64, import: u64) -> u64 {
    let address = exchange.taker().does(&format!("cuMemAddressReserve out {bytes} 0 0 0"))[0];
    exchange.taker().does(&format!("cuMemMap {address} {bytes} 0 {import} 0"));
    exchange.judge();
    address
}
