//! Fills: like copies, done at the call.

use cuda_sys::CUresult;

use super::{Block, End, Place};
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::Driver;
use crate::width::to_usize;

/// The element that is repeated.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pattern {
    /// One byte.
    D8(u8),
    /// Two bytes.
    D16(u16),
    /// Four bytes.
    D32(u32),
}

impl Pattern {
    /// Bytes of an element; addresses and pitches must be multiples of it.
    pub(crate) fn size(self) -> u64 {
        match self {
            Self::D8(_) => 1,
            Self::D16(_) => 2,
            Self::D32(_) => 4,
        }
    }
}

/// Fills `elements` × `rows` elements of device memory, and gives the number of bytes.
pub(crate) fn fill(
    driver: &Driver,
    address: u64,
    pitch: u64,
    pattern: Pattern,
    (elements, rows): (usize, usize),
) -> Outcome<u64> {
    let size = pattern.size();
    let width = (elements as u64).checked_mul(size).ok_or(CUresult::INVALID_VALUE)?;
    let block = Block { width, height: rows as u64, depth: 1 };
    if !address.is_multiple_of(size) || (rows > 1 && !pitch.is_multiple_of(size)) {
        return Err(CUresult::INVALID_VALUE);
    }
    let bytes = block.bytes()?;
    if bytes == 0 {
        return Ok(0);
    }
    let end = End { place: Place::Device(address), pitch, rows: 0, corner: (0, 0, 0) };
    let span = end.span(block)?;
    let (start, _) = end.place.resolve(&lock(&driver.space), span.end)?;
    for offset in end.offsets(block) {
        // SAFETY: `resolve` found the whole span in one allocation, whose contents start at a page, so that they are
        // aligned as the address is; memory that the program frees meanwhile stays mapped.
        unsafe { fill_row(start.wrapping_add(to_usize(offset)), pattern, elements) };
    }
    Ok(bytes)
}

/// # Safety
///
/// `start` must be aligned to, and valid for writes of, so many elements.
unsafe fn fill_row(start: *mut u8, pattern: Pattern, elements: usize) {
    /// # Safety
    ///
    /// As for `fill_row`.
    unsafe fn repeat<T: Copy>(start: *mut T, value: T, elements: usize) {
        for index in 0..elements {
            // SAFETY: in the row that the caller vouches for.
            unsafe { start.wrapping_add(index).write(value) };
        }
    }
    match pattern {
        // SAFETY: passed on.
        Pattern::D8(value) => unsafe { start.write_bytes(value, elements) },
        // SAFETY: passed on.
        Pattern::D16(value) => unsafe { repeat(start.cast(), value, elements) },
        // SAFETY: passed on.
        Pattern::D32(value) => unsafe { repeat(start.cast(), value, elements) },
    }
}
