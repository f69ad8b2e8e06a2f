//! What tells launches apart: the same kernel takes the same time when it is launched in the same shape, for the most part.

use crate::throttle::Key;
use cuda_sys::{CUDA_LAUNCH_PARAMS, CUfunction, CUlaunchConfig, c_uint};

/// The shape of a launch.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) grid: [c_uint; 3],
    pub(super) block: [c_uint; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub(super) shared: c_uint,
}

impl Shape {
    pub(super) const fn of(config: &CUlaunchConfig) -> Self {
        Self {
            grid: [config.gridDimX, config.gridDimY, config.gridDimZ],
            block: [config.blockDimX, config.blockDimY, config.blockDimZ],
            shared: config.sharedMemBytes,
        }
    }

    pub(super) const fn of_one(launch: &CUDA_LAUNCH_PARAMS) -> Self {
        Self {
            grid: [launch.gridDimX, launch.gridDimY, launch.gridDimZ],
            block: [launch.blockDimX, launch.blockDimY, launch.blockDimZ],
            shared: launch.sharedMemBytes,
        }
    }

    /// What is learned of launches of `function` in this shape is kept under this key. A handle of a kernel
    /// (`CUkernel`) in the place of a function's is as good.
    #[inline]
    pub(super) fn key(self, function: CUfunction) -> Key {
        let [gx, gy, gz] = self.grid.map(u64::from);
        let [bx, by, bz] = self.block.map(u64::from);
        let words = [gx | gy << 32, gz | u64::from(self.shared) << 32, bx | by << 16 | bz << 32];
        Key::of(function.0 as u64, words)
    }
}
