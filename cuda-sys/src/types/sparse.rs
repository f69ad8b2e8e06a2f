//! Arrays whose memory is given to them: in tiles (sparse), or as a whole later (deferred).

use super::{
    CUarraySparseSubresourceType, CUmemGenericAllocationHandle, CUmemHandleType, CUmemOperationType,
    CUresourcetype, c_uint, c_void, layouts,
};

/// Tiles of a sparse array.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CUDA_ARRAY_SPARSE_PROPERTIES {
    /// Elements, rows and slices of a tile.
    pub tileExtent: [c_uint; 3],
    /// The first level that is smaller than a tile: it and those after it are the tail.
    pub miptailFirstLevel: c_uint,
    /// Bytes of the tail.
    pub miptailSize: u64,
    /// Whether all layers have one tail, as a bit.
    pub flags: c_uint,
    /// Zero.
    pub reserved: [c_uint; 4],
}

/// A part of an array that memory is mapped to or unmapped from.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUarrayMapInfo {
    /// What `resource` is.
    pub resourceType: CUresourcetype,
    /// An array or a mipmapped array.
    pub resource: *mut c_void,
    /// What `subresource` is.
    pub subresourceType: CUarraySparseSubresourceType,
    /// Which part of it.
    pub subresource: CUarrayMapSubresource,
    /// Whether to map or to unmap.
    pub memOperationType: CUmemOperationType,
    /// What `memHandle` is.
    pub memHandleType: CUmemHandleType,
    /// The physical memory; 0 to unmap.
    pub memHandle: CUmemGenericAllocationHandle,
    /// Where in that memory, in bytes.
    pub offset: u64,
    /// The device, as one bit at its ordinal.
    pub deviceBitMask: c_uint,
    /// Zero.
    pub flags: c_uint,
    /// Zero.
    pub reserved: [c_uint; 2],
}

/// The `subresource` of [`CUarrayMapInfo`]: a box of a level, or a range of the tail. Both are numbers and nothing else.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CUarrayMapSubresource(pub [c_uint; 8]);

/// A box of tiles of one level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SparseLevel {
    /// The level; 0 of an array that has no others.
    pub level: c_uint,
    /// The layer; 0 of an array that has no others.
    pub layer: c_uint,
    /// The first element, row and slice.
    pub offset: [c_uint; 3],
    /// How many elements, rows and slices.
    pub extent: [c_uint; 3],
}

/// A range of the tail of a mipmapped array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SparseTail {
    /// The layer; 0 where all layers have one tail.
    pub layer: c_uint,
    /// Its first byte.
    pub offset: u64,
    /// How many bytes.
    pub size: u64,
}

impl CUarrayMapSubresource {
    /// As `CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL` means it.
    #[must_use]
    pub const fn level(&self) -> SparseLevel {
        let [level, layer, x, y, z, width, height, depth] = self.0;
        SparseLevel { level, layer, offset: [x, y, z], extent: [width, height, depth] }
    }

    /// As `CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL` means it.
    #[must_use]
    pub const fn tail(&self) -> SparseTail {
        let [layer, _, first, second, third, fourth, ..] = self.0;
        SparseTail { layer, offset: joined(first, second), size: joined(third, fourth) }
    }
}

/// The number that lies in two words of memory.
const fn joined(first: c_uint, second: c_uint) -> u64 {
    let (low, high) = if cfg!(target_endian = "little") { (first, second) } else { (second, first) };
    (high as u64) << 32 | low as u64
}

layouts! {
    CUDA_ARRAY_SPARSE_PROPERTIES 48 { tileExtent, miptailFirstLevel, miptailSize, flags, reserved }
    CUarrayMapInfo 96 {
        resourceType, resource, subresourceType, subresource, memOperationType, memHandleType, memHandle, offset,
        deviceBitMask, flags, reserved,
    }
}
