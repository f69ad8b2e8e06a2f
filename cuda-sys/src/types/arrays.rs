//! Arrays and rectangular copies. One definition makes the 64-bit form and that of the 32-bit era (API 2.0, `_v1`).

use super::{CUarray, CUarray_format, CUdeviceptr, CUdeviceptr_v1, CUmemorytype, c_uint, c_void, layouts};

/// What `cuArrayCreate` creates.
pub type CUDA_ARRAY_DESCRIPTOR = ArrayDescriptor<usize>;
/// [`CUDA_ARRAY_DESCRIPTOR`] of API 2.0.
pub type CUDA_ARRAY_DESCRIPTOR_v1 = ArrayDescriptor<c_uint>;
/// What `cuArray3DCreate` creates.
pub type CUDA_ARRAY3D_DESCRIPTOR = Array3dDescriptor<usize>;
/// [`CUDA_ARRAY3D_DESCRIPTOR`] of API 2.0.
pub type CUDA_ARRAY3D_DESCRIPTOR_v1 = Array3dDescriptor<c_uint>;
/// A copy of a rectangle.
pub type CUDA_MEMCPY2D = Copy2d<usize, CUdeviceptr>;
/// [`CUDA_MEMCPY2D`] of API 2.0.
pub type CUDA_MEMCPY2D_v1 = Copy2d<c_uint, CUdeviceptr_v1>;
/// A copy of a box.
pub type CUDA_MEMCPY3D = Copy3d<usize, CUdeviceptr>;
/// [`CUDA_MEMCPY3D`] of API 2.0.
pub type CUDA_MEMCPY3D_v1 = Copy3d<c_uint, CUdeviceptr_v1>;

/// A one- or two-dimensional array.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayDescriptor<Size> {
    /// Elements of a row.
    pub Width: Size,
    /// Rows; 0 in a one-dimensional array.
    pub Height: Size,
    /// Format of a channel.
    pub Format: CUarray_format,
    /// Channels of an element: 1, 2 or 4.
    pub NumChannels: c_uint,
}

/// An array of up to three dimensions.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Array3dDescriptor<Size> {
    /// Elements of a row.
    pub Width: Size,
    /// Rows; 0 in a one-dimensional array.
    pub Height: Size,
    /// Slices or layers; 0 in an array of fewer dimensions.
    pub Depth: Size,
    /// Format of a channel.
    pub Format: CUarray_format,
    /// Channels of an element: 1, 2 or 4.
    pub NumChannels: c_uint,
    /// Kind of array, as bits.
    pub Flags: c_uint,
}

/// Memory a sparse or deferred array must be given.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CUDA_ARRAY_MEMORY_REQUIREMENTS {
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub alignment: usize,
    /// Zero.
    pub reserved: [c_uint; 4],
}

/// A copy of a rectangle.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Copy2d<Size, Address> {
    /// Source column, in bytes.
    pub srcXInBytes: Size,
    /// Source row.
    pub srcY: Size,
    /// What the source is.
    pub srcMemoryType: CUmemorytype,
    /// The source, if host memory.
    pub srcHost: *const c_void,
    /// The source, if device or unified memory.
    pub srcDevice: Address,
    /// The source, if an array.
    pub srcArray: CUarray,
    /// Bytes from one source row to the next.
    pub srcPitch: Size,
    /// Destination column, in bytes.
    pub dstXInBytes: Size,
    /// Destination row.
    pub dstY: Size,
    /// What the destination is.
    pub dstMemoryType: CUmemorytype,
    /// The destination, if host memory.
    pub dstHost: *mut c_void,
    /// The destination, if device or unified memory.
    pub dstDevice: Address,
    /// The destination, if an array.
    pub dstArray: CUarray,
    /// Bytes from one destination row to the next.
    pub dstPitch: Size,
    /// Width, in bytes.
    pub WidthInBytes: Size,
    /// Rows.
    pub Height: Size,
}

/// A copy of a box.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Copy3d<Size, Address> {
    /// Source column, in bytes.
    pub srcXInBytes: Size,
    /// Source row.
    pub srcY: Size,
    /// Source slice.
    pub srcZ: Size,
    /// Source mipmap level.
    pub srcLOD: Size,
    /// What the source is.
    pub srcMemoryType: CUmemorytype,
    /// The source, if host memory.
    pub srcHost: *const c_void,
    /// The source, if device or unified memory.
    pub srcDevice: Address,
    /// The source, if an array.
    pub srcArray: CUarray,
    /// Null.
    pub reserved0: *mut c_void,
    /// Bytes from one source row to the next.
    pub srcPitch: Size,
    /// Rows of a source slice.
    pub srcHeight: Size,
    /// Destination column, in bytes.
    pub dstXInBytes: Size,
    /// Destination row.
    pub dstY: Size,
    /// Destination slice.
    pub dstZ: Size,
    /// Destination mipmap level.
    pub dstLOD: Size,
    /// What the destination is.
    pub dstMemoryType: CUmemorytype,
    /// The destination, if host memory.
    pub dstHost: *mut c_void,
    /// The destination, if device or unified memory.
    pub dstDevice: Address,
    /// The destination, if an array.
    pub dstArray: CUarray,
    /// Null.
    pub reserved1: *mut c_void,
    /// Bytes from one destination row to the next.
    pub dstPitch: Size,
    /// Rows of a destination slice.
    pub dstHeight: Size,
    /// Width, in bytes.
    pub WidthInBytes: Size,
    /// Rows.
    pub Height: Size,
    /// Slices.
    pub Depth: Size,
}

layouts! {
    CUDA_ARRAY_DESCRIPTOR 24 { Width, Height, Format, NumChannels }
    CUDA_ARRAY_DESCRIPTOR_v1 16 { Width, Height, Format, NumChannels }
    CUDA_ARRAY3D_DESCRIPTOR 40 { Width, Height, Depth, Format, NumChannels, Flags }
    CUDA_ARRAY3D_DESCRIPTOR_v1 24 { Width, Height, Depth, Format, NumChannels, Flags }
    CUDA_ARRAY_MEMORY_REQUIREMENTS 32 { size, alignment, reserved }
    CUDA_MEMCPY2D 128 {
        srcXInBytes, srcY, srcMemoryType, srcHost, srcDevice, srcArray, srcPitch, dstXInBytes, dstY,
        dstMemoryType, dstHost, dstDevice, dstArray, dstPitch, WidthInBytes, Height,
    }
    CUDA_MEMCPY2D_v1 96 {
        srcXInBytes, srcY, srcMemoryType, srcHost, srcDevice, srcArray, srcPitch, dstXInBytes, dstY,
        dstMemoryType, dstHost, dstDevice, dstArray, dstPitch, WidthInBytes, Height,
    }
    CUDA_MEMCPY3D 200 {
        srcXInBytes, srcY, srcZ, srcLOD, srcMemoryType, srcHost, srcDevice, srcArray, reserved0, srcPitch,
        srcHeight, dstXInBytes, dstY, dstZ, dstLOD, dstMemoryType, dstHost, dstDevice, dstArray,
        reserved1, dstPitch, dstHeight, WidthInBytes, Height, Depth,
    }
    CUDA_MEMCPY3D_v1 144 {
        srcXInBytes, srcY, srcZ, srcLOD, srcMemoryType, srcHost, srcDevice, srcArray, reserved0, srcPitch,
        srcHeight, dstXInBytes, dstY, dstZ, dstLOD, dstMemoryType, dstHost, dstDevice, dstArray,
        reserved1, dstPitch, dstHeight, WidthInBytes, Height, Depth,
    }
}
