//! How arrays lie in memory. Real ones are laid in tiles, so that neighbours in every direction lie near each other; what
//! that costs is kept here: whole tiles, and whole pages.

use super::Shape;

/// Bytes of a row of a tile.
const TILE_ROW: u64 = 64;
/// Rows of a tile.
const TILE_ROWS: u64 = 8;
/// What memory of an array is a multiple of, and aligned to.
pub(super) const PAGE: u64 = 64 << 10;

/// Where one plane of one level lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Its first byte, from the beginning of the array.
    pub(super) start: u64,
    /// Bytes from one row to the next.
    pub(super) pitch: u64,
    /// Rows from one slice to the next.
    pub(super) rows: u64,
    /// Bytes that are used of a row, used rows of a slice, and slices.
    pub(super) used: [u64; 3],
}

impl Part {
    const fn bytes(&self) -> u64 {
        self.pitch * self.rows * self.used[2]
    }
}

/// The parts of `levels` levels, by level and then by plane, and the bytes of all of it.
pub(super) fn lay_out(shape: &Shape, levels: u32) -> (Vec<Vec<Part>>, u64) {
    let mut start = 0;
    let mut parts = Vec::new();
    for level in (0..levels).map(|level| shape.level(level)) {
        let planes = level.planes();
        let of_level = planes.iter().map(|plane| {
            let of_plane = level.plane(plane);
            let used_row = of_plane.width.div_ceil(plane.block) * plane.bytes;
            let used_rows = of_plane.height.max(1).div_ceil(plane.block);
            let part = Part {
                start,
                pitch: used_row.next_multiple_of(TILE_ROW),
                rows: used_rows.next_multiple_of(TILE_ROWS),
                used: [used_row, used_rows, of_plane.depth.max(1)],
            };
            start += part.bytes();
            part
        });
        parts.push(of_level.collect());
    }
    (parts, start.next_multiple_of(PAGE))
}

#[cfg(test)]
mod tests {
    use cuda_sys::CUarray_format as Format;

    use super::*;

    fn bytes(width: u64, height: u64, depth: u64, format: Format, channels: u32, levels: u32) -> u64 {
        lay_out(&Shape { width, height, depth, format, channels, flags: 0 }, levels).1
    }

    #[test]
    fn an_array_takes_whole_tiles_and_whole_pages() {
        assert_eq!(bytes(1, 0, 0, Format::UNSIGNED_INT8, 1, 1), PAGE);
        assert_eq!(bytes(1024, 1024, 0, Format::FLOAT, 1, 1), 4 << 20);
        assert_eq!(bytes(1025, 1024, 0, Format::FLOAT, 1, 1), (4096 + 64) * 1024);
        assert_eq!(bytes(1024, 1025, 0, Format::FLOAT, 1, 1), (4096_u64 * 1032).next_multiple_of(PAGE));
        assert_eq!(bytes(64, 64, 64, Format::FLOAT, 4, 1), 64 * 64 * 64 * 16);
    }

    #[test]
    fn levels_and_planes_follow_each_other() {
        let (parts, all) = lay_out(
            &Shape { width: 256, height: 256, depth: 0, format: Format::FLOAT, channels: 1, flags: 0 },
            9,
        );
        assert_eq!(parts.len(), 9);
        assert_eq!((parts[1][0].start, parts[2][0].start), (256 << 10, (256 + 64) << 10));
        assert_eq!(parts[8][0].used, [4, 1, 1]);
        assert!(all > (256 + 64 + 16) << 10);
        assert_eq!(bytes(1024, 1024, 0, Format::NV12, 3, 1), 1536 << 10);
    }

    #[test]
    fn compressed_blocks_have_a_row_for_four() {
        assert_eq!(bytes(1024, 1024, 0, Format::BC1_UNORM, 4, 1), 512 << 10);
        assert_eq!(bytes(1024, 1024, 0, Format::BC7_UNORM, 4, 1), 1 << 20);
        let (parts, _) = lay_out(
            &Shape { width: 5, height: 5, depth: 0, format: Format::BC1_UNORM, channels: 4, flags: 0 },
            1,
        );
        assert_eq!(parts[0][0].used, [16, 2, 1]);
    }
}
