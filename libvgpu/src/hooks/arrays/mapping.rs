//! Physical memory that is mapped to arrays without memory of their own. It was charged when it was created, and stays so
//! while such an array holds it.
//!
//! What a call does happens when its stream comes to it; it is accounted at once, as a free in a stream is.

use crate::abi::driver::real;
use crate::state::{Member, slice};
use cuda_sys::*;
use tracker::{PieceId, SparsePart};

pub(crate) unsafe fn cuMemMapArrayAsync(
    list: *mut CUarrayMapInfo,
    count: c_uint,
    stream: CUstream,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMemMapArrayAsync(list, count, stream) };
    // SAFETY: as above.
    unsafe { mapped(list, count, call) }
}

pub(crate) unsafe fn cuMemMapArrayAsync_ptsz(
    list: *mut CUarrayMapInfo,
    count: c_uint,
    stream: CUstream,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMemMapArrayAsync_ptsz(list, count, stream) };
    // SAFETY: as above.
    unsafe { mapped(list, count, call) }
}

/// # Safety
/// `list` must be null or valid for reading `count` entries.
unsafe fn mapped(list: *const CUarrayMapInfo, count: c_uint, call: impl FnOnce() -> CUresult) -> CUresult {
    let Some(member) = slice().ok().flatten().and_then(|slice| slice.member_if_joined()) else {
        return call();
    };
    if list.is_null() {
        return call();
    }
    // SAFETY: promised by the caller.
    let entries = unsafe { core::slice::from_raw_parts(list, count as usize) };
    // Held from before, because another thread may release the handle while the driver maps.
    let pieces: Vec<_> = entries.iter().map(|entry| held(member, entry)).collect();
    let result = call();
    if result.is_success() {
        for (entry, piece) in entries.iter().zip(&pieces) {
            member.map_sparse(entry.resource as u64, part(entry), *piece);
        }
    }
    member.drop_pieces(pieces.into_iter().flatten());
    result
}

/// The piece of this process that an entry maps, which is held until it is let go.
fn held(member: &Member, entry: &CUarrayMapInfo) -> Option<PieceId> {
    if entry.memOperationType != CUmemOperationType::MAP {
        return None;
    }
    let mut physical = member.physical.lock();
    let piece = physical.find(entry.memHandle)?;
    physical.hold(piece);
    Some(piece)
}

fn part(entry: &CUarrayMapInfo) -> SparsePart {
    if entry.subresourceType == CUarraySparseSubresourceType::MIPTAIL {
        let tail = entry.subresource.tail();
        return SparsePart::of_tail(tail.layer, tail.offset, tail.size);
    }
    let level = entry.subresource.level();
    SparsePart::of_level(level.level, level.layer, level.offset.map(u64::from), level.extent.map(u64::from))
}
