//! What texture and surface objects are made of.

use super::{CUresourcetype, c_int, c_uint, layouts};

/// What a texture or surface object reads.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CUDA_RESOURCE_DESC {
    /// What `res` is.
    pub resType: CUresourcetype,
    /// By type: an array or a mipmapped array as the first word, or an address and the shape of what is there.
    pub res: [u64; 16],
    /// Zero.
    pub flags: c_uint,
}

/// How a texture object reads.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CUDA_TEXTURE_DESC {
    /// What coordinates outside mean, for each dimension.
    pub addressMode: [c_uint; 3],
    /// How elements are combined.
    pub filterMode: c_uint,
    /// The rest, as bits.
    pub flags: c_uint,
    /// The most samples of an anisotropic access.
    pub maxAnisotropy: c_uint,
    /// How levels are combined.
    pub mipmapFilterMode: c_uint,
    /// Added to the level.
    pub mipmapLevelBias: f32,
    /// The lowest level that is read.
    pub minMipmapLevelClamp: f32,
    /// The highest level that is read.
    pub maxMipmapLevelClamp: f32,
    /// What is read outside.
    pub borderColor: [f32; 4],
    /// Zero.
    pub reserved: [c_int; 12],
}

/// Which part of an array a texture object reads, and as what.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CUDA_RESOURCE_VIEW_DESC {
    /// The format; 0: the array's own.
    pub format: c_uint,
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Slices.
    pub depth: usize,
    /// The first level.
    pub firstMipmapLevel: c_uint,
    /// The last level.
    pub lastMipmapLevel: c_uint,
    /// The first layer.
    pub firstLayer: c_uint,
    /// The last layer.
    pub lastLayer: c_uint,
    /// Zero.
    pub reserved: [c_uint; 16],
}

/// A texture object.
pub type CUtexObject = u64;
/// A surface object.
pub type CUsurfObject = u64;

layouts! {
    CUDA_RESOURCE_DESC 144 { resType, res, flags }
    CUDA_TEXTURE_DESC 104 {
        addressMode, filterMode, flags, maxAnisotropy, mipmapFilterMode, mipmapLevelBias, minMipmapLevelClamp,
        maxMipmapLevelClamp, borderColor, reserved,
    }
    CUDA_RESOURCE_VIEW_DESC 112 {
        format, width, height, depth, firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved,
    }
}
