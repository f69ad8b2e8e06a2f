//! Linear memory that one player allocates and another one opens by its name.

use super::Exchange;

/// `CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`
const LAZY: u64 = 1;

/// It is opened once or twice, and freed before, between or after it is closed: who has it open keeps it.
pub(super) fn happen(exchange: &mut Exchange<'_>) {
    let bytes = exchange.random.bytes();
    let Some(address) = exchange.granted(&format!("cuMemAlloc_v2 out {bytes}"), bytes) else { return };
    let words = exchange.giver().does(&format!("cuIpcGetMemHandle out*8 {address}"));
    let name = words.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    let times = 1 + exchange.random.below(2);
    let mut opened = 0;
    for _ in 0..times {
        opened = exchange.taker().does(&format!("open-memory {name} {LAZY}"))[0];
        exchange.judge();
    }
    let closed_before = exchange.random.below(times + 1);
    for ended in 0..=times {
        exchange.meanwhile();
        if ended == closed_before {
            exchange.giver().does(&format!("cuMemFree_v2 {address}"));
        } else {
            exchange.taker().does(&format!("cuIpcCloseMemHandle {opened}"));
        }
        exchange.judge();
    }
}
