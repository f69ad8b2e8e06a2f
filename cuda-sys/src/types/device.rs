//! Identity and properties of devices.

use super::{c_int, layouts};

/// A 16-byte device identity.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CUuuid {
    /// The bytes, in the order `GPU-xxxxxxxx-...` prints them.
    pub bytes: [u8; 16],
}

/// The few properties `cuDeviceGetProperties` knows; memory size is not among them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CUdevprop {
    /// Most threads of a block.
    pub maxThreadsPerBlock: c_int,
    /// Most threads of a block in each direction.
    pub maxThreadsDim: [c_int; 3],
    /// Most blocks of a grid in each direction.
    pub maxGridSize: [c_int; 3],
    /// Shared memory of a block, in bytes.
    pub sharedMemPerBlock: c_int,
    /// Constant memory, in bytes.
    pub totalConstantMemory: c_int,
    /// Threads of a warp.
    pub SIMDWidth: c_int,
    /// Largest pitch of a copy, in bytes.
    pub memPitch: c_int,
    /// Registers of a block.
    pub regsPerBlock: c_int,
    /// Clock, in kHz.
    pub clockRate: c_int,
    /// Alignment of textures, in bytes.
    pub textureAlign: c_int,
}

layouts! {
    CUuuid 16 { bytes }
    CUdevprop 56 {
        maxThreadsPerBlock, maxThreadsDim, maxGridSize, sharedMemPerBlock, totalConstantMemory, SIMDWidth,
        memPitch, regsPerBlock, clockRate, textureAlign,
    }
}
