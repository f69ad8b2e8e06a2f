//! Launch configurations.

use super::{CUfunction, CUlaunchAttributeID, CUstream, c_char, c_uint, c_void, layouts};

/// What `cuLaunchKernelEx` launches with.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchConfig {
    /// Blocks of the grid in x.
    pub gridDimX: c_uint,
    /// Blocks of the grid in y.
    pub gridDimY: c_uint,
    /// Blocks of the grid in z.
    pub gridDimZ: c_uint,
    /// Threads of a block in x.
    pub blockDimX: c_uint,
    /// Threads of a block in y.
    pub blockDimY: c_uint,
    /// Threads of a block in z.
    pub blockDimZ: c_uint,
    /// Dynamic shared memory of a block, in bytes.
    pub sharedMemBytes: c_uint,
    /// The stream.
    pub hStream: CUstream,
    /// `numAttrs` attributes, or null.
    pub attrs: *mut CUlaunchAttribute,
    /// How many attributes there are.
    pub numAttrs: c_uint,
}

/// One attribute of a launch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchAttribute {
    /// Which attribute.
    pub id: CUlaunchAttributeID,
    /// Unused.
    pub pad: [c_char; 4],
    /// Its value, by `id`.
    pub value: CUlaunchAttributeValue,
}

/// The value of a launch attribute, as the header's padding makes it: 64 bytes, aligned to 8.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchAttributeValue {
    /// The bytes.
    pub pad: [c_char; 64],
}

/// One launch of `cuLaunchCooperativeKernelMultiDevice`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_LAUNCH_PARAMS {
    /// The kernel.
    pub function: CUfunction,
    /// Blocks of the grid in x.
    pub gridDimX: c_uint,
    /// Blocks of the grid in y.
    pub gridDimY: c_uint,
    /// Blocks of the grid in z.
    pub gridDimZ: c_uint,
    /// Threads of a block in x.
    pub blockDimX: c_uint,
    /// Threads of a block in y.
    pub blockDimY: c_uint,
    /// Threads of a block in z.
    pub blockDimZ: c_uint,
    /// Dynamic shared memory of a block, in bytes.
    pub sharedMemBytes: c_uint,
    /// The stream; its context is the kernel's.
    pub hStream: CUstream,
    /// Pointers to the parameters.
    pub kernelParams: *mut *mut c_void,
}

layouts! {
    CUlaunchConfig 56 {
        gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream, attrs,
        numAttrs,
    }
    CUlaunchAttribute 72 { id, pad, value }
    CUlaunchAttributeValue 64 { pad }
    CUDA_LAUNCH_PARAMS 56 {
        function, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream,
        kernelParams,
    }
}
