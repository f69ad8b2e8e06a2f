//! Copies: the bytes move at the call, the machine takes the time for it.

use sim_kernel::Direction;

use super::{Block, End, Side};
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::Driver;
use crate::width::to_usize;

/// Moves the bytes of `block` from one end to the other, and says which way they went; `None` for a copy from host to
/// host, in which no device takes part.
///
/// # Safety
///
/// A host end must be valid for the block.
pub(crate) unsafe fn copy(
    driver: &Driver,
    destination: &End,
    source: &End,
    block: Block,
) -> Outcome<Option<Direction>> {
    let (to, from) = (destination.span(block)?, source.span(block)?);
    let ((to, to_side), (from, from_side)) = {
        let space = lock(&driver.space);
        let to = destination.place.plus(to.start)?.resolve(&space, to.end - to.start)?;
        (to, source.place.plus(from.start)?.resolve(&space, from.end - from.start)?)
    };
    for (to_offset, from_offset) in destination.offsets(block).zip(source.offsets(block)) {
        // SAFETY: `resolve` found the whole span of the block in one allocation, or this function's caller vouches
        // for it; every row lies in the span. Memory that the program frees meanwhile stays mapped.
        unsafe { copy_row(to, to_offset, from, from_offset, block.width) };
    }
    Ok(match (from_side, to_side) {
        (Side::Host, Side::Host) => None,
        (Side::Host, Side::Device) => Some(Direction::HostToDevice),
        (Side::Device, Side::Host) => Some(Direction::DeviceToHost),
        (Side::Device, Side::Device) => Some(Direction::DeviceToDevice),
    })
}

/// # Safety
///
/// Both rows must be valid memory.
unsafe fn copy_row(to: *mut u8, to_offset: u64, from: *const u8, from_offset: u64, width: u64) {
    let to = to.wrapping_add(to_usize(to_offset));
    let from = from.wrapping_add(to_usize(from_offset));
    // SAFETY: the caller vouches for both rows; they may overlap.
    unsafe { std::ptr::copy(from, to, to_usize(width)) };
}
