//! Boxes of bytes: rows at a pitch, slices of rows.

use std::ops::Range;

use cuda_sys::CUresult;

use super::Place;
use crate::outcome::Outcome;

/// What is copied or filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Bytes of a row.
    pub(crate) width: u64,
    /// Rows of a slice.
    pub(crate) height: u64,
    /// Slices.
    pub(crate) depth: u64,
}

impl Block {
    /// So many bytes in a row.
    pub(crate) const fn line(width: u64) -> Self {
        Self { width, height: 1, depth: 1 }
    }

    /// Bytes in all.
    pub(crate) fn bytes(self) -> Outcome<u64> {
        let rows = self.height.checked_mul(self.depth);
        rows.and_then(|rows| rows.checked_mul(self.width)).ok_or(CUresult::INVALID_VALUE)
    }
}

/// One end of a copy: a box of memory and the corner in it where the block is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// Where the memory begins.
    pub(crate) place: Place,
    /// Bytes from one row to the next.
    pub(crate) pitch: u64,
    /// Rows from one slice to the next.
    pub(crate) rows: u64,
    /// The corner: bytes, rows, slices.
    pub(crate) corner: (u64, u64, u64),
}

impl End {
    /// Memory without rows.
    pub(crate) const fn flat(place: Place) -> Self {
        Self { place, pitch: 0, rows: 0, corner: (0, 0, 0) }
    }

    /// The bytes from the first to behind the last of `block` here, relative to `place`; nothing of the block may lie
    /// outside of its row or slice.
    pub(crate) fn span(&self, block: Block) -> Outcome<Range<u64>> {
        self.checked_span(block).ok_or(CUresult::INVALID_VALUE)
    }

    fn checked_span(&self, block: Block) -> Option<Range<u64>> {
        let (x, y, z) = self.corner;
        let has_rows = block.height > 1 || block.depth > 1 || y > 0 || z > 0;
        let has_slices = block.depth > 1 || z > 0;
        let wide = has_rows && x.checked_add(block.width)? > self.pitch;
        let high = has_slices && y.checked_add(block.height)? > self.rows;
        if wide || high {
            return None;
        }
        let start = x.checked_add(self.row_offset(y, z)?)?;
        let last_row = self.row_offset(block.height - 1, block.depth - 1)?;
        let end = start.checked_add(last_row)?.checked_add(block.width)?;
        Some(start..end)
    }

    /// Bytes from the beginning to a row of a slice.
    fn row_offset(&self, row: u64, slice: u64) -> Option<u64> {
        let rows = slice.checked_mul(self.rows)?.checked_add(row)?;
        rows.checked_mul(self.pitch)
    }

    /// The offset of each row of `block` from its first byte, in order; `span` must have accepted the block.
    pub(crate) fn offsets(&self, block: Block) -> impl Iterator<Item = u64> + use<> {
        let (pitch, rows) = (self.pitch, self.rows);
        (0..block.depth).flat_map(move |slice| (0..block.height).map(move |row| (slice * rows + row) * pitch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(pitch: u64, rows: u64, corner: (u64, u64, u64)) -> End {
        End { place: Place::Device(0), pitch, rows, corner }
    }

    #[test]
    fn a_line_needs_no_pitch() {
        assert_eq!(End::flat(Place::Host(1)).span(Block::line(7)), Ok(0..7));
    }

    #[test]
    fn a_rectangle_spans_from_its_first_to_its_last_byte() {
        let block = Block { width: 10, height: 3, depth: 1 };
        let end = end(100, 0, (5, 2, 0));
        assert_eq!(end.span(block), Ok(205..415));
        assert_eq!(end.offsets(block).collect::<Vec<_>>(), [0, 100, 200]);
    }

    #[test]
    fn slices_follow_each_other_at_their_rows() {
        let block = Block { width: 4, height: 2, depth: 2 };
        let end = end(8, 3, (0, 1, 1));
        assert_eq!(end.span(block), Ok(32..68));
        assert_eq!(end.offsets(block).collect::<Vec<_>>(), [0, 8, 24, 32]);
    }

    #[test]
    fn rows_wider_than_the_pitch_and_slices_higher_than_their_rows_are_refused() {
        let rectangle = Block { width: 10, height: 2, depth: 1 };
        assert!(end(9, 0, (0, 0, 0)).span(rectangle).is_err());
        assert!(end(10, 0, (1, 0, 0)).span(rectangle).is_err());
        assert!(end(10, 2, (0, 1, 0)).span(Block { depth: 2, ..rectangle }).is_err());
    }

    #[test]
    fn sizes_that_wrap_are_refused() {
        let huge = Block { width: 1, height: u64::MAX, depth: 2 };
        assert!(huge.bytes().is_err());
        assert!(end(u64::MAX, 1, (0, 0, 0)).span(huge).is_err());
    }
}
