//! Attributes of a device: those of an H100 SXM5 80GB, and what the machine's description says otherwise.
//!
//! What is not simulated (direct access between devices) is told to be unsupported, so that programs take another way.

use cuda_sys::CUdevice_attribute as Attribute;

use super::Device;
use crate::array::can_defer;
use crate::profile::Profile;
use crate::work::{MOST_BLOCK, MOST_BLOCKS, MOST_GRID, MOST_THREADS, SHARED_MEMORY, SHARED_MEMORY_OPT_IN};

impl Device {
    /// An attribute; `None` for a number that is none of the driver's.
    pub(crate) fn attribute(&self, attribute: Attribute) -> Option<i32> {
        let value = self.of_description(attribute).or_else(|| of_launch(attribute));
        value.map(saturating).or_else(|| of_board(attribute))
    }

    fn of_description(&self, attribute: Attribute) -> Option<u32> {
        let (card, pci) = (&self.description.card, &self.description.pci);
        Some(match attribute {
            Attribute::MULTIPROCESSOR_COUNT => card.multiprocessors,
            Attribute::MAX_THREADS_PER_MULTIPROCESSOR => card.threads_per_multiprocessor,
            Attribute::COMPUTE_CAPABILITY_MAJOR => card.compute_capability.0,
            Attribute::COMPUTE_CAPABILITY_MINOR => card.compute_capability.1,
            Attribute::CONCURRENT_MANAGED_ACCESS => card.concurrent_managed_access.into(),
            Attribute::DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED => {
                can_defer(Profile::installed().api_version).into()
            }
            Attribute::PCI_DOMAIN_ID => pci.domain,
            Attribute::PCI_BUS_ID => pci.bus.into(),
            Attribute::PCI_DEVICE_ID => pci.device.into(),
            _ => return None,
        })
    }
}

/// What launches are checked against.
fn of_launch(attribute: Attribute) -> Option<u32> {
    Some(match attribute {
        Attribute::MAX_THREADS_PER_BLOCK => MOST_THREADS,
        Attribute::MAX_BLOCK_DIM_X => MOST_BLOCK[0],
        Attribute::MAX_BLOCK_DIM_Y => MOST_BLOCK[1],
        Attribute::MAX_BLOCK_DIM_Z => MOST_BLOCK[2],
        Attribute::MAX_GRID_DIM_X => MOST_GRID[0],
        Attribute::MAX_GRID_DIM_Y => MOST_GRID[1],
        Attribute::MAX_GRID_DIM_Z => MOST_GRID[2],
        Attribute::MAX_SHARED_MEMORY_PER_BLOCK => SHARED_MEMORY,
        Attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN => SHARED_MEMORY_OPT_IN,
        Attribute::MAX_BLOCKS_PER_MULTIPROCESSOR => MOST_BLOCKS,
        _ => return None,
    })
}

fn saturating(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// The last attribute that branches 535 and 550 know.
const LAST: Attribute = Attribute::HOST_NUMA_ID;

/// Attributes of the board; a known one that is not listed is 0: no, or not supported.
fn of_board(attribute: Attribute) -> Option<i32> {
    if attribute == Attribute(0) || attribute > LAST {
        return None;
    }
    let found = BOARD.binary_search_by_key(&attribute, |(listed, _)| *listed);
    Some(found.map_or(0, |index| BOARD[index].1))
}

/// By ascending attribute.
const BOARD: &[(Attribute, i32)] = &[
    (Attribute::TOTAL_CONSTANT_MEMORY, 65_536),
    (Attribute::WARP_SIZE, 32),
    (Attribute::MAX_PITCH, i32::MAX),
    (Attribute::MAX_REGISTERS_PER_BLOCK, 65_536),
    (Attribute::CLOCK_RATE, 1_980_000),
    (Attribute::TEXTURE_ALIGNMENT, 512),
    (Attribute::GPU_OVERLAP, 1),
    (Attribute::CAN_MAP_HOST_MEMORY, 1),
    (Attribute::MAXIMUM_TEXTURE1D_WIDTH, 131_072),
    (Attribute::MAXIMUM_TEXTURE2D_WIDTH, 131_072),
    (Attribute::MAXIMUM_TEXTURE2D_HEIGHT, 65_536),
    (Attribute::MAXIMUM_TEXTURE3D_WIDTH, 16_384),
    (Attribute::MAXIMUM_TEXTURE3D_HEIGHT, 16_384),
    (Attribute::MAXIMUM_TEXTURE3D_DEPTH, 16_384),
    (Attribute::MAXIMUM_TEXTURE2D_LAYERED_WIDTH, 32_768),
    (Attribute::MAXIMUM_TEXTURE2D_LAYERED_HEIGHT, 32_768),
    (Attribute::MAXIMUM_TEXTURE2D_LAYERED_LAYERS, 2048),
    (Attribute::SURFACE_ALIGNMENT, 512),
    (Attribute::CONCURRENT_KERNELS, 1),
    (Attribute::ECC_ENABLED, 1),
    (Attribute::MEMORY_CLOCK_RATE, 2_619_000),
    (Attribute::GLOBAL_MEMORY_BUS_WIDTH, 5120),
    (Attribute::L2_CACHE_SIZE, 50 << 20),
    (Attribute::ASYNC_ENGINE_COUNT, 3),
    (Attribute::UNIFIED_ADDRESSING, 1),
    (Attribute::MAXIMUM_TEXTURE1D_LAYERED_WIDTH, 32_768),
    (Attribute::MAXIMUM_TEXTURE1D_LAYERED_LAYERS, 2048),
    (Attribute::CAN_TEX2D_GATHER, 1),
    (Attribute::MAXIMUM_TEXTURE2D_GATHER_WIDTH, 32_768),
    (Attribute::MAXIMUM_TEXTURE2D_GATHER_HEIGHT, 32_768),
    (Attribute::MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE, 8192),
    (Attribute::MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE, 8192),
    (Attribute::MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE, 32_768),
    (Attribute::TEXTURE_PITCH_ALIGNMENT, 32),
    (Attribute::MAXIMUM_TEXTURECUBEMAP_WIDTH, 32_768),
    (Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH, 32_768),
    (Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS, 2046),
    (Attribute::MAXIMUM_SURFACE1D_WIDTH, 32_768),
    (Attribute::MAXIMUM_SURFACE2D_WIDTH, 131_072),
    (Attribute::MAXIMUM_SURFACE2D_HEIGHT, 65_536),
    (Attribute::MAXIMUM_SURFACE3D_WIDTH, 16_384),
    (Attribute::MAXIMUM_SURFACE3D_HEIGHT, 16_384),
    (Attribute::MAXIMUM_SURFACE3D_DEPTH, 16_384),
    (Attribute::MAXIMUM_SURFACE1D_LAYERED_WIDTH, 32_768),
    (Attribute::MAXIMUM_SURFACE1D_LAYERED_LAYERS, 2048),
    (Attribute::MAXIMUM_SURFACE2D_LAYERED_WIDTH, 32_768),
    (Attribute::MAXIMUM_SURFACE2D_LAYERED_HEIGHT, 32_768),
    (Attribute::MAXIMUM_SURFACE2D_LAYERED_LAYERS, 2048),
    (Attribute::MAXIMUM_SURFACECUBEMAP_WIDTH, 32_768),
    (Attribute::MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH, 32_768),
    (Attribute::MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS, 2046),
    (Attribute::MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 268_435_456),
    (Attribute::MAXIMUM_TEXTURE2D_LINEAR_WIDTH, 131_072),
    (Attribute::MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, 65_000),
    (Attribute::MAXIMUM_TEXTURE2D_LINEAR_PITCH, 2_097_120),
    (Attribute::MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, 32_768),
    (Attribute::MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT, 32_768),
    (Attribute::MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, 32_768),
    (Attribute::STREAM_PRIORITIES_SUPPORTED, 1),
    (Attribute::GLOBAL_L1_CACHE_SUPPORTED, 1),
    (Attribute::LOCAL_L1_CACHE_SUPPORTED, 1),
    (Attribute::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 << 10),
    (Attribute::MAX_REGISTERS_PER_MULTIPROCESSOR, 65_536),
    (Attribute::MANAGED_MEMORY, 1),
    (Attribute::SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2),
    (Attribute::COMPUTE_PREEMPTION_SUPPORTED, 1),
    (Attribute::CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1),
    (Attribute::COOPERATIVE_LAUNCH, 1),
    (Attribute::HOST_REGISTER_SUPPORTED, 1),
    (Attribute::VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED, 1),
    (Attribute::HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1),
    (Attribute::RESERVED_SHARED_MEMORY_PER_BLOCK, 1024),
    (Attribute::SPARSE_CUDA_ARRAY_SUPPORTED, 1),
    (Attribute::MEMORY_POOLS_SUPPORTED, 1),
    (Attribute::MEMPOOL_SUPPORTED_HANDLE_TYPES, 1),
    (Attribute::CLUSTER_LAUNCH, 1),
    (Attribute::IPC_EVENT_SUPPORTED, 1),
    (Attribute::MEM_SYNC_DOMAIN_COUNT, 4),
    (Attribute::NUMA_ID, -1),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_ascend_so_that_the_search_finds_each() {
        assert!(BOARD.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn numbers_beyond_the_branch_are_no_attributes() {
        assert_eq!(of_board(Attribute(0)), None);
        assert_eq!(of_board(Attribute::D3D12_CIG_SUPPORTED), None);
        assert_eq!(of_board(Attribute::MEMORY_POOLS_SUPPORTED), Some(1));
        assert_eq!(of_board(Attribute::WARP_SIZE), Some(32));
    }
}
