//! The shape of a launch.

use cuda_sys::CUresult;

use crate::outcome::Outcome;

/// Most threads of a block.
pub(crate) const MOST_THREADS: u32 = 1024;
/// Most threads of a block in each direction.
pub(crate) const MOST_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Most blocks that a multiprocessor holds at once.
pub(crate) const MOST_BLOCKS: u32 = 32;
/// Most blocks of a grid in each direction.
pub(crate) const MOST_GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];

/// Sizes in x, y and z.
type Sizes = (u32, u32, u32);

/// Blocks and threads of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// Blocks.
    pub(crate) blocks: Sizes,
    /// Threads of a block.
    pub(crate) threads: Sizes,
}

impl Grid {
    /// The shape of a launch, if a device can take it.
    pub(crate) fn new(blocks: Sizes, threads: Sizes) -> Outcome<Self> {
        let fits = |(x, y, z): Sizes, most: [u32; 3]| {
            [x, y, z].iter().zip(most).all(|(size, most)| (1..=most).contains(size))
        };
        let fits = fits(blocks, MOST_GRID) && fits(threads, MOST_BLOCK);
        if !fits || product(threads) > u64::from(MOST_THREADS) {
            return Err(CUresult::INVALID_VALUE);
        }
        Ok(Self { blocks, threads })
    }

    /// How often a device that holds so many threads must be filled to run all of it.
    pub(crate) fn waves(self, resident_threads: u64) -> u64 {
        let threads = u128::from(product(self.blocks)) * u128::from(product(self.threads));
        let waves = threads.div_ceil(u128::from(resident_threads.max(1)));
        u64::try_from(waves).unwrap_or(u64::MAX)
    }
}

fn product((x, y, z): Sizes) -> u64 {
    u64::from(x) * u64::from(y).saturating_mul(u64::from(z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_direction_may_be_zero_or_beyond_the_device() {
        let bad = Err(CUresult::INVALID_VALUE);
        let one = (1, 1, 1);
        for shape in [(0, 1, 1), (1, 0, 1), (1, 1, 0)] {
            assert_eq!(Grid::new(shape, one), bad);
            assert_eq!(Grid::new(one, shape), bad);
        }
        for block in [(1025, 1, 1), (1, 1, 65), (32, 33, 1), (1024, 1024, 64)] {
            assert_eq!(Grid::new(one, block), bad, "{block:?}");
        }
        for grid in [(1 << 31, 1, 1), (1, 65_536, 1), (1, 1, 65_536)] {
            assert_eq!(Grid::new(grid, one), bad, "{grid:?}");
        }
        assert!(Grid::new((i32::MAX as u32, 65_535, 65_535), (16, 64, 1)).is_ok());
    }

    #[test]
    fn a_wave_fills_the_device_once() {
        let grid = |blocks| Grid::new((blocks, 1, 1), (1024, 1, 1)).unwrap();
        let resident = 132 * 2048;
        assert_eq!(grid(1).waves(resident), 1);
        assert_eq!(grid(264).waves(resident), 1);
        assert_eq!(grid(265).waves(resident), 2);
        let largest = Grid::new((i32::MAX as u32, 65_535, 65_535), (1024, 1, 1)).unwrap();
        assert!(largest.waves(1) == u64::MAX);
    }
}
