//! What arrays are made of and what kind they are.

use super::{c_uint, integers};

integers! {
    /// Format of an array element.
    CUarray_format "CU_AD_FORMAT_":
    UNSIGNED_INT8 = 0x01,
    UNSIGNED_INT16 = 0x02,
    UNSIGNED_INT32 = 0x03,
    SIGNED_INT8 = 0x08,
    SIGNED_INT16 = 0x09,
    SIGNED_INT32 = 0x0a,
    HALF = 0x10,
    FLOAT = 0x20,
    UNORM_INT_101010_2 = 0x50,
    UINT8_PACKED_422 = 0x51,
    UINT8_PACKED_444 = 0x52,
    UINT8_SEMIPLANAR_420 = 0x53,
    UINT16_SEMIPLANAR_420 = 0x54,
    UINT8_SEMIPLANAR_422 = 0x55,
    UINT16_SEMIPLANAR_422 = 0x56,
    UINT8_SEMIPLANAR_444 = 0x57,
    UINT16_SEMIPLANAR_444 = 0x58,
    UINT8_PLANAR_420 = 0x59,
    UINT16_PLANAR_420 = 0x5a,
    UINT8_PLANAR_422 = 0x5b,
    UINT16_PLANAR_422 = 0x5c,
    UINT8_PLANAR_444 = 0x5d,
    UINT16_PLANAR_444 = 0x5e,
    BC1_UNORM = 0x91,
    BC1_UNORM_SRGB = 0x92,
    BC2_UNORM = 0x93,
    BC2_UNORM_SRGB = 0x94,
    BC3_UNORM = 0x95,
    BC3_UNORM_SRGB = 0x96,
    BC4_UNORM = 0x97,
    BC4_SNORM = 0x98,
    BC5_UNORM = 0x99,
    BC5_SNORM = 0x9a,
    BC6H_UF16 = 0x9b,
    BC6H_SF16 = 0x9c,
    BC7_UNORM = 0x9d,
    BC7_UNORM_SRGB = 0x9e,
    P010 = 0x9f,
    P016 = 0xa1,
    NV16 = 0xa2,
    P210 = 0xa3,
    P216 = 0xa4,
    YUY2 = 0xa5,
    Y210 = 0xa6,
    Y216 = 0xa7,
    AYUV = 0xa8,
    Y410 = 0xa9,
    NV12 = 0xb0,
    Y416 = 0xb1,
    Y444_PLANAR8 = 0xb2,
    Y444_PLANAR10 = 0xb3,
    UNORM_INT8X1 = 0xc0,
    UNORM_INT8X2 = 0xc1,
    UNORM_INT8X4 = 0xc2,
    UNORM_INT16X1 = 0xc3,
    UNORM_INT16X2 = 0xc4,
    UNORM_INT16X4 = 0xc5,
    SNORM_INT8X1 = 0xc6,
    SNORM_INT8X2 = 0xc7,
    SNORM_INT8X4 = 0xc8,
    SNORM_INT16X1 = 0xc9,
    SNORM_INT16X2 = 0xca,
    SNORM_INT16X4 = 0xcb,
}

integers! {
    /// The bits of an array's `Flags`.
    CUDA_ARRAY3D_FLAGS "CUDA_ARRAY3D_":
    LAYERED = 0x01,
    SURFACE_LDST = 0x02,
    CUBEMAP = 0x04,
    TEXTURE_GATHER = 0x08,
    DEPTH_TEXTURE = 0x10,
    COLOR_ATTACHMENT = 0x20,
    SPARSE = 0x40,
    DEFERRED_MAPPING = 0x80,
    VIDEO_ENCODE_DECODE = 0x100,
}

integers! {
    /// What a texture object reads, or what memory is mapped to.
    CUresourcetype "CU_RESOURCE_TYPE_":
    ARRAY = 0,
    MIPMAPPED_ARRAY = 1,
    LINEAR = 2,
    PITCH2D = 3,
}

integers! {
    /// Which part of an array memory is mapped to.
    CUarraySparseSubresourceType "CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_":
    SPARSE_LEVEL = 0,
    MIPTAIL = 1,
}

integers! {
    /// Whether to map or to unmap.
    CUmemOperationType "CU_MEM_OPERATION_TYPE_":
    MAP = 1,
    UNMAP = 2,
}

integers! {
    /// What a handle of physical memory is.
    CUmemHandleType "CU_MEM_HANDLE_TYPE_":
    GENERIC = 0,
}
