//! Parameters of graph nodes that do work.

use super::{
    CUDA_MEMCPY3D, CUcontext, CUdeviceptr, CUfunction, CUhostFn, CUkernel, c_int, c_uint, c_void, layouts,
};

/// Parameters of a kernel node before API 12.0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_KERNEL_NODE_PARAMS_v1 {
    /// The kernel.
    pub func: CUfunction,
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
    /// Pointers to the parameters.
    pub kernelParams: *mut *mut c_void,
    /// Parameters in another form.
    pub extra: *mut *mut c_void,
}

/// Parameters of a kernel node.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_KERNEL_NODE_PARAMS {
    /// The kernel, or null for `kern`.
    pub func: CUfunction,
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
    /// Pointers to the parameters.
    pub kernelParams: *mut *mut c_void,
    /// Parameters in another form.
    pub extra: *mut *mut c_void,
    /// The kernel of a library, where `func` is null.
    pub kern: CUkernel,
    /// The context for that; null: the current one.
    pub ctx: CUcontext,
}

/// Parameters of a fill node.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_MEMSET_NODE_PARAMS {
    /// Where.
    pub dst: CUdeviceptr,
    /// Bytes from one row to the next, if there are several.
    pub pitch: usize,
    /// The element.
    pub value: c_uint,
    /// Its bytes: 1, 2 or 4.
    pub elementSize: c_uint,
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// Parameters of a copy node of `cuGraphAddNode`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_MEMCPY_NODE_PARAMS {
    /// Zero.
    pub flags: c_int,
    /// Zero.
    pub reserved: c_int,
    /// The context that it runs in.
    pub copyCtx: CUcontext,
    /// The copy.
    pub copyParams: CUDA_MEMCPY3D,
}

/// Parameters of a host function node.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_HOST_NODE_PARAMS {
    /// The function. C calls it `fn`.
    pub function: CUhostFn,
    /// Its argument.
    pub userData: *mut c_void,
}

layouts! {
    CUDA_KERNEL_NODE_PARAMS_v1 56 {
        func, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, kernelParams,
        extra,
    }
    CUDA_KERNEL_NODE_PARAMS 72 {
        func, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, kernelParams,
        extra, kern, ctx,
    }
    CUDA_MEMSET_NODE_PARAMS 40 { dst, pitch, value, elementSize, width, height }
    CUDA_MEMCPY_NODE_PARAMS 216 { flags, reserved, copyCtx, copyParams }
    CUDA_HOST_NODE_PARAMS 16 { userData }
}
