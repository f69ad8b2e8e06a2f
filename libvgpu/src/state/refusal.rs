//! Saying no: what is noted, and said, when a request does not fit.

use super::place::Place;
use crate::clock;
use crate::report;
use contract::{Bytes, env};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use cuda_sys::CUresult;
use shared_region::{MemoryClass, Refusal};

/// Refuses a request for `bytes`: notes it for whoever watches, and says it if the environment asks for that.
#[cold]
pub(crate) fn refused(place: Place, class: MemoryClass, bytes: Bytes) -> CUresult {
    let refusal = Refusal { class, bytes, at: clock::realtime_ns() };
    place.member.account.refused(place.device.index, refusal);
    if report::says_details() {
        say(place, class, bytes);
    }
    CUresult::OUT_OF_MEMORY
}

/// Programs that take what they can get are refused again and again; one line a second is enough.
const PAUSE_MS: u64 = 1000;
/// When the last line was written, in milliseconds, and one more, so that 0 is never.
static LAST_LINE: AtomicU64 = AtomicU64::new(0);
/// Refusals since then of which nothing was said.
static UNSAID: AtomicU64 = AtomicU64::new(0);

#[cold]
#[inline(never)]
fn say(Place { member, device }: Place, class: MemoryClass, bytes: Bytes) {
    let (last, now) = (LAST_LINE.load(Relaxed), clock::monotonic_ms() + 1);
    let is_due = last == 0 || now.saturating_sub(last) >= PAUSE_MS;
    if !is_due || LAST_LINE.compare_exchange(last, now, Relaxed, Relaxed).is_err() {
        UNSAID.fetch_add(1, Relaxed);
        return;
    }
    let (account, limit) = (&member.account, &device.limit);
    // What the dead seem to hold is not in use, and does not keep anybody from anything.
    let _ = account.reap();
    let (source, way_out) = if limit.is_of_environment() {
        (env::MEMORY_LIMIT, "start the program with a larger one")
    } else {
        ("the limits page", "have it raised (vgpu limits)")
    };
    let unsaid = match UNSAID.swap(0, Relaxed) {
        0 => String::new(),
        count => format!(" (and {count} more since the last such line)"),
    };
    report::line(&format_args!(
        "vgpu: out of memory on {}: {} ({}) do not fit, as {} are in use ({} by this process) of a limit of {}, which is set by \
         {source}; free some, or {way_out}{unsaid}",
        device.uuid,
        bytes.human(),
        class.name(),
        account.total(device.index).human(),
        account.own(device.index).human(),
        limit.bytes().human(),
    ));
}
