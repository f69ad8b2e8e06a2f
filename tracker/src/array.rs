//! How much an array can take, for drivers that do not say so beforehand.

use contract::Bytes;

/// What the size of an array depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayShape {
    /// Elements of a row, rows, and slices or layers. 0 as in an array that has fewer dimensions.
    pub extents: [u64; 3],
    /// Whether the last extent counts layers, which lie apart and which all levels have.
    pub is_layered: bool,
    /// Elements that are stored together, in each of two directions.
    pub block: u64,
    /// The most bytes of such a block, in one plane.
    pub block_bytes: u64,
    /// The most planes.
    pub planes: u64,
    /// Levels, as they were asked for.
    pub levels: u32,
}

/// Memory of an array comes in tiles of so many bytes by so many rows, and tiles in blocks of up to so many above and so
/// many slices behind each other.
const TILE_ROW: u64 = 128;
const TILE_ROWS: u64 = 8;
const BLOCK_TILES: u64 = 16;
const BLOCK_SLICES: u64 = 32;

/// What all of it is rounded up to.
const PAGE: u64 = 64 << 10;

impl ArrayShape {
    /// The most that an array of this shape takes; all there is when that does not fit 64 bits.
    #[must_use]
    pub fn bound(&self) -> Bytes {
        let levels = self.levels.clamp(1, self.most_levels());
        let all = (0..levels).try_fold(0_u64, |sum, level| sum.checked_add(self.bound_of_level(level)?));
        Bytes(all.and_then(|all| all.checked_next_multiple_of(PAGE)).unwrap_or(u64::MAX))
    }

    /// As many as it takes to come to one element.
    fn most_levels(&self) -> u32 {
        let [width, height, depth] = self.extents;
        let longest = width.max(height).max(if self.is_layered { 1 } else { depth });
        1 + longest.max(1).ilog2()
    }

    fn bound_of_level(&self, level: u32) -> Option<u64> {
        let halved = |extent: u64| (extent >> level).max(1);
        let [width, height, depth] = self.extents;
        let row = halved(width).div_ceil(self.block).checked_mul(self.block_bytes)?;
        let row = row.checked_next_multiple_of(TILE_ROW)?.checked_mul(self.planes)?;
        let tiles = in_blocks(halved(height).div_ceil(self.block).div_ceil(TILE_ROWS), BLOCK_TILES)?;
        let slices = if self.is_layered { depth.max(1) } else { in_blocks(halved(depth), BLOCK_SLICES)? };
        row.checked_mul(tiles)?.checked_mul(TILE_ROWS)?.checked_mul(slices)
    }
}

/// `count` rounded up to whole blocks, which are as large as they need be and at most `most`.
fn in_blocks(count: u64, most: u64) -> Option<u64> {
    count.checked_next_multiple_of(count.checked_next_power_of_two()?.min(most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLANE: ArrayShape = ArrayShape {
        extents: [1024, 1024, 0],
        is_layered: false,
        block: 1,
        block_bytes: 4,
        planes: 1,
        levels: 1,
    };

    #[test]
    fn an_array_of_whole_blocks_is_no_larger_than_its_elements() {
        assert_eq!(PLANE.bound(), Bytes(4 << 20));
        assert_eq!(ArrayShape { extents: [1024, 1024, 32], ..PLANE }.bound(), Bytes(128 << 20));
    }

    #[test]
    fn what_is_just_above_a_block_has_one_more() {
        assert_eq!(ArrayShape { extents: [1024, 1025, 0], ..PLANE }.bound(), Bytes(4096 * 1152));
        assert_eq!(ArrayShape { extents: [1024, 1024, 33], ..PLANE }.bound(), Bytes(256 << 20));
        let layers = ArrayShape { extents: [1024, 1024, 33], is_layered: true, ..PLANE };
        assert_eq!(layers.bound(), Bytes(33 * (4 << 20)));
    }

    #[test]
    fn more_levels_than_there_can_be_cost_nothing() {
        let all = ArrayShape { levels: 11, ..PLANE }.bound();
        assert!(all.0 > 4 * (4 << 20) / 3, "{all:?}");
        assert_eq!(ArrayShape { levels: u32::MAX, ..PLANE }.bound(), all);
        assert_eq!(ArrayShape { levels: 0, ..PLANE }.bound(), PLANE.bound());
    }

    #[test]
    fn compressed_blocks_count_as_elements_and_planes_lie_apart() {
        let compressed = ArrayShape { extents: [11, 11, 0], block: 4, block_bytes: 16, levels: 4, ..PLANE };
        assert_eq!(compressed.bound(), Bytes(PAGE));
        let wide = ArrayShape { extents: [1 << 20, 1, 0], block: 4, block_bytes: 16, ..PLANE };
        assert_eq!(wide.bound(), Bytes(8 * (4 << 20)));
        let planes = ArrayShape { extents: [1, 65_536, 0], block_bytes: 1, planes: 3, ..PLANE };
        assert_eq!(planes.bound(), Bytes(3 * 128 * 65_536));
    }

    #[test]
    fn sizes_that_wrap_are_all_there_is() {
        for extents in [[u64::MAX, 1, 1], [1, u64::MAX, 1], [1, 1, u64::MAX], [1 << 40, 1 << 40, 0]] {
            assert_eq!(ArrayShape { extents, ..PLANE }.bound(), Bytes(u64::MAX));
        }
    }

    proptest! {
        #[test]
        fn a_bound_is_never_below_the_elements_of_all_levels(
            extents in prop::array::uniform3(0_u64..5000),
            is_layered: bool,
            block_bytes in 1_u64..=16,
            levels in 0_u32..20,
        ) {
            let shape = ArrayShape { extents, is_layered, block: 1, block_bytes, planes: 1, levels };
            let count = |level: u32| {
                let [width, height, depth] = extents;
                let halved = |extent: u64| (extent >> level).max(1);
                halved(width) * halved(height) * if is_layered { depth.max(1) } else { halved(depth) }
            };
            let elements: u64 = (0..levels.clamp(1, shape.most_levels())).map(count).sum();
            prop_assert!(shape.bound().0 >= elements * block_bytes);
        }
    }
}
