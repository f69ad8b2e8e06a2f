//! Tiles of sparse arrays: 64 KiB each, in the shapes that every graphics API has for them.

use cuda_sys::{CUDA_ARRAY_SPARSE_PROPERTIES as SparseProperties, CUDA_ARRAY3D_FLAGS as Flags, CUresult};

use super::Shape;
use super::layout::lay_out;
use super::shape::Kind;
use crate::outcome::Outcome;

/// `CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL`
const SINGLE_TAIL: u32 = 1;

/// Elements, rows and slices of a tile, by the logarithm of an element's bytes.
const OF_PLANES: [[u32; 3]; 5] = [[256, 256, 1], [256, 128, 1], [128, 128, 1], [128, 64, 1], [64, 64, 1]];
const OF_BOXES: [[u32; 3]; 5] = [[64, 32, 32], [32, 32, 32], [32, 32, 16], [32, 16, 16], [16, 16, 16]];

/// What a sparse array is told to be.
pub(super) fn properties(shape: &Shape, levels: u32) -> Outcome<SparseProperties> {
    if !shape.has(Flags::SPARSE) {
        return Err(CUresult::INVALID_VALUE);
    }
    let tile = tile(shape).ok_or(CUresult::INVALID_VALUE)?;
    let first = (0..levels).find(|level| is_tail(&shape.level(*level), tile)).unwrap_or(levels);
    let tail = if first < levels { lay_out(&shape.level(first), levels - first).1 } else { 0 };
    let flags = if shape.is_layered() { 0 } else { SINGLE_TAIL };
    let layers = if shape.is_layered() { shape.depth.max(1) } else { 1 };
    Ok(SparseProperties {
        tileExtent: tile,
        miptailFirstLevel: first,
        miptailSize: tail / layers,
        flags,
        reserved: [0; 4],
    })
}

fn tile(shape: &Shape) -> Option<[u32; 3]> {
    let plane = shape.planes().into_iter().next()?;
    let tiles = if shape.kind()? == Kind::Box { &OF_BOXES } else { &OF_PLANES };
    let [width, height, depth] = *tiles.get(usize::try_from(plane.bytes.ilog2()).ok()?)?;
    let block = u32::try_from(plane.block).ok()?;
    Some([width * block, height * block, depth])
}

fn is_tail(level: &Shape, [width, height, depth]: [u32; 3]) -> bool {
    let is_short = |extent: u64, tile: u32| extent < tile.into();
    is_short(level.width, width)
        || is_short(level.height, height)
        || !level.is_layered() && is_short(level.depth.max(1), depth)
}

#[cfg(test)]
mod tests {
    use cuda_sys::CUarray_format as Format;

    use super::*;

    fn sparse(width: u64, height: u64, depth: u64, flags: u32) -> Shape {
        let flags = flags | Flags::SPARSE.0;
        Shape { width, height, depth, format: Format::FLOAT, channels: 1, flags }
    }

    #[test]
    fn every_tile_has_64_kib() {
        for (power, (plane, solid)) in OF_PLANES.iter().zip(OF_BOXES).enumerate() {
            let bytes = |tile: [u32; 3]| tile.iter().product::<u32>() << power;
            assert_eq!((bytes(*plane), bytes(solid)), (64 << 10, 64 << 10));
        }
    }

    #[test]
    fn levels_smaller_than_a_tile_are_the_tail() {
        let found = properties(&sparse(1024, 1024, 0, 0), 11).expect("sparse");
        assert_eq!((found.tileExtent, found.miptailFirstLevel, found.flags), ([128, 128, 1], 4, SINGLE_TAIL));
        assert_eq!(found.miptailSize, 64 << 10);
        let whole = properties(&sparse(256, 256, 0, 0), 2).expect("sparse");
        assert_eq!((whole.miptailFirstLevel, whole.miptailSize), (2, 0));
        let layered = properties(&sparse(256, 256, 3, Flags::LAYERED.0), 9).expect("sparse");
        assert_eq!((layered.miptailFirstLevel, layered.flags), (2, 0));
        let plain = Shape { flags: 0, ..sparse(256, 256, 0, 0) };
        assert_eq!(properties(&plain, 1), Err(CUresult::INVALID_VALUE));
    }
}
