//! Whether anything may be capturing: while nothing does, no stream needs to be asked.
//!
//! A stream captures because a capture began in it, or because it waits for an event of one that does. So where no capture was
//! begun, no stream captures.

use core::sync::atomic::{AtomicU32, Ordering::SeqCst};
use core::time::Duration;
use cuda_sys::CUresult;

/// Captures that have begun and were not seen to end: those that are under way, and those that ended with their stream. So it
/// may stay above zero for ever, at the price of asking.
static BEGUN: AtomicU32 = AtomicU32::new(0);

/// Threads that are about to begin one.
static BEGINNING: AtomicU32 = AtomicU32::new(0);

/// Threads that are at recording an event of ours.
static RECORDING: AtomicU32 = AtomicU32::new(0);

/// Begins a capture by `call`.
pub(crate) fn begun(call: impl FnOnce() -> CUresult) -> CUresult {
    BEGINNING.fetch_add(1, SeqCst);
    let_recorders_finish();
    // Before it begins: nobody may find none when there is one.
    BEGUN.fetch_add(1, SeqCst);
    let result = call();
    BEGINNING.fetch_sub(1, SeqCst);
    if !result.is_success() {
        BEGUN.fetch_sub(1, SeqCst);
    }
    result
}

/// Ends a capture by `call`.
pub(crate) fn ended(call: impl FnOnce() -> CUresult) -> CUresult {
    let result = call();
    let has_ended = result.is_success()
        || matches!(result, CUresult::STREAM_CAPTURE_INVALIDATED | CUresult::STREAM_CAPTURE_UNJOINED);
    if has_ended {
        // One that began where nobody saw it was not counted.
        let _ = BEGUN.fetch_update(SeqCst, SeqCst, |begun| begun.checked_sub(1));
    }
    result
}

/// Whether a stream may be capturing.
#[inline]
pub(super) fn may_be_under_way() -> bool {
    BEGUN.load(SeqCst) != 0
}

/// Looks whether a stream captures and records in it, while no capture begins. `None`: one does.
///
/// An event that is recorded in a capture breaks that as soon as somebody asks about it, and to use the legacy default stream
/// breaks the captures of all streams that wait for it. Whoever captures in another thread may do so as soon as our caller's
/// own call has returned, or, as launches are allowed there, meanwhile; not while we record.
///
/// A recorder says that it is at it before it looks, and whoever begins a capture says so before it looks for recorders: one
/// of the two sees the other. So this cannot be spared by a look at whether any capture ever began, without which recorders
/// would be silent: the first one may begin between that look and the record, and would not find whom to wait for. Nor can
/// later ones be told from the first, for the same reason. The two locked operations are little beside the driver's record.
pub(super) fn while_none_begins<T>(record: impl FnOnce() -> Option<T>) -> Option<T> {
    RECORDING.fetch_add(1, SeqCst);
    let recorded = if BEGINNING.load(SeqCst) == 0 { record() } else { None };
    RECORDING.fetch_sub(1, SeqCst);
    recorded
}

/// A record takes a microsecond, but where the driver has no room for more work of a stream: nobody waits for that.
fn let_recorders_finish() {
    const TRIES: u32 = 100;
    for _ in 0..TRIES {
        if RECORDING.load(SeqCst) == 0 {
            break;
        }
        std::thread::sleep(Duration::from_micros(50));
    }
}
