//! What the driver table takes from the vendor's header besides its rows, for `cargo xtask table` to compare.

use super::{
    arrays,
    attributes::*,
    device,
    formats::*,
    graph_nodes,
    graphs::{self, CUgraphInstantiate_flags, CUgraphNodeType},
    green,
    integers::*,
    launch,
    layout::Layout,
    memory, sparse, textures,
};
use crate::CUresult;

/// Structures of the driver API that have fields here.
pub const DRIVER_LAYOUTS: &[&[Layout]] = &[
    arrays::LAYOUTS,
    device::LAYOUTS,
    graphs::LAYOUTS,
    graph_nodes::LAYOUTS,
    green::LAYOUTS,
    launch::LAYOUTS,
    memory::LAYOUTS,
    sparse::LAYOUTS,
    textures::LAYOUTS,
];

/// Values of the driver API that have names here.
pub const DRIVER_CONSTANTS: &[&[(&str, u32)]] = &[
    CUresult::NAMED,
    CUmemorytype::NAMED,
    CUmemLocationType::NAMED,
    CUmemAllocationType::NAMED,
    CUmemAllocationHandleType::NAMED,
    CUmemAccess_flags::NAMED,
    CUmemAllocationGranularity_flags::NAMED,
    CUmemPool_attribute::NAMED,
    CUgraphMem_attribute::NAMED,
    CUgraphNodeType::NAMED,
    CUgraphInstantiate_flags::NAMED,
    CUlimit::NAMED,
    CUstreamCaptureStatus::NAMED,
    CUstreamCaptureMode::NAMED,
    CUmem_advise::NAMED,
    CUmem_range_attribute::NAMED,
    CUmoduleLoadingMode::NAMED,
    CUdriverProcAddressQueryResult::NAMED,
    CUarray_format::NAMED,
    CUDA_ARRAY3D_FLAGS::NAMED,
    CUresourcetype::NAMED,
    CUarraySparseSubresourceType::NAMED,
    CUmemOperationType::NAMED,
    CUmemHandleType::NAMED,
    CUpointer_attribute::NAMED,
    CUfunction_attribute::NAMED,
    CUdevice_attribute::NAMED,
];
