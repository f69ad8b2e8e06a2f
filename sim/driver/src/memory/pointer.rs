//! What can be asked of a pointer.

use cuda_sys::{CUmemorytype, CUpointer_attribute as Attribute, CUresult};

use super::host::Block;
use super::mapped::Mapped;
use crate::address::{Allocation, Home, Kind};
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::Driver;
use crate::width::to_usize;

/// The ordinal that means no device (`CU_DEVICE_INVALID`).
const NO_DEVICE: i32 = -2;
/// Read and write (`CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE`).
const READ_WRITE: u32 = 3;

/// An answer, of the size that its attribute has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// A handle, an address, a size or an identity: eight bytes.
    Word(u64),
    /// A number: four bytes.
    Number(u32),
    /// Yes or no: one byte.
    Flag(bool),
}

/// What the driver knows of a pointer.
enum Known {
    Device(Allocation, i32, usize),
    Mapped(Mapped),
    Host(Block),
    Nothing,
}

impl Known {
    fn of(driver: &Driver, pointer: u64) -> Self {
        let allocation = lock(&driver.space).holding(pointer).cloned();
        if let Some(allocation) = allocation {
            let Home::Context(id) = allocation.home else {
                return Self::of_device(allocation);
            };
            let owner = driver.contexts.find(|context| context.life().is_ok_and(|life| life.id == id));
            let (device, handle) = owner.map_or((NO_DEVICE, 0), |context| (context.device, context.handle));
            return Self::Device(allocation, device, handle);
        }
        if let Some(mapped) = Mapped::at(driver, pointer) {
            return Self::Mapped(mapped);
        }
        let block = driver.host_memory.holding(to_usize(pointer));
        block.map_or(Self::Nothing, Self::Host)
    }

    /// Memory of a pool or a graph is of a device and of no context.
    fn of_device(allocation: Allocation) -> Self {
        let device = match allocation.home {
            Home::Pool { device, .. } | Home::Graph { device } => device,
            Home::Context(_) => NO_DEVICE,
        };
        Self::Device(allocation, device, 0)
    }
}

/// Answers `attribute` of `pointer`. `None`: the driver does not know the pointer, or the attribute has no meaning for
/// it.
pub(crate) fn ask(driver: &Driver, attribute: Attribute, pointer: u64) -> Outcome<Option<Answer>> {
    Ok(match Known::of(driver, pointer) {
        Known::Device(allocation, device, context) => {
            of_device(attribute, pointer, &allocation, device, context)?
        }
        Known::Mapped(mapped) => match mapped.answer(attribute, pointer) {
            None if attribute == Attribute::HOST_POINTER => None,
            None => Some(common(attribute)?),
            answer => answer,
        },
        Known::Host(block) => of_host(attribute, pointer, &block)?,
        Known::Nothing => None,
    })
}

fn of_device(
    attribute: Attribute,
    pointer: u64,
    allocation: &Allocation,
    device: i32,
    context: usize,
) -> Outcome<Option<Answer>> {
    let managed = allocation.kind == Kind::Managed;
    Ok(Some(match attribute {
        Attribute::CONTEXT => Answer::Word(context as u64),
        Attribute::MEMORY_TYPE => Answer::Number(CUmemorytype::DEVICE.0),
        Attribute::DEVICE_POINTER => Answer::Word(pointer),
        Attribute::HOST_POINTER if managed => Answer::Word(pointer),
        Attribute::HOST_POINTER => return Ok(None),
        Attribute::BUFFER_ID | Attribute::MEMORY_BLOCK_ID => Answer::Word(allocation.id.0),
        Attribute::IS_MANAGED => Answer::Flag(managed),
        Attribute::DEVICE_ORDINAL => Answer::Number(device.cast_unsigned()),
        Attribute::IS_LEGACY_CUDA_IPC_CAPABLE => {
            Answer::Flag(allocation.kind == Kind::Device && matches!(allocation.home, Home::Context(_)))
        }
        Attribute::IS_GPU_DIRECT_RDMA_CAPABLE => Answer::Flag(false),
        Attribute::RANGE_START_ADDR | Attribute::MAPPING_BASE_ADDR => Answer::Word(allocation.start),
        Attribute::RANGE_SIZE | Attribute::MAPPING_SIZE => Answer::Word(allocation.bytes),
        Attribute::MAPPED => Answer::Flag(true),
        Attribute::SYNC_MEMOPS => Answer::Flag(false),
        Attribute::MEMPOOL_HANDLE => Answer::Word(pool_of(allocation)),
        other => return common(other).map(Some),
    }))
}

/// The handle of the pool that the memory is of; 0: of none.
fn pool_of(allocation: &Allocation) -> u64 {
    if let Home::Pool { handle, .. } = allocation.home { handle as u64 } else { 0 }
}

fn of_host(attribute: Attribute, pointer: u64, block: &Block) -> Outcome<Option<Answer>> {
    Ok(Some(match attribute {
        Attribute::CONTEXT => Answer::Word(block.context as u64),
        Attribute::MEMORY_TYPE => Answer::Number(CUmemorytype::HOST.0),
        Attribute::DEVICE_POINTER | Attribute::HOST_POINTER => Answer::Word(pointer),
        Attribute::BUFFER_ID => Answer::Word(block.start as u64),
        Attribute::IS_MANAGED | Attribute::IS_LEGACY_CUDA_IPC_CAPABLE => Answer::Flag(false),
        Attribute::DEVICE_ORDINAL => Answer::Number(0),
        Attribute::RANGE_START_ADDR => Answer::Word(block.start as u64),
        Attribute::RANGE_SIZE => Answer::Word(block.bytes as u64),
        Attribute::MAPPED => Answer::Flag(true),
        Attribute::SYNC_MEMOPS => Answer::Flag(false),
        other => return common(other).map(Some),
    }))
}

fn common(attribute: Attribute) -> Outcome<Answer> {
    match attribute {
        Attribute::ALLOWED_HANDLE_TYPES => Ok(Answer::Word(0)),
        Attribute::ACCESS_FLAGS => Ok(Answer::Number(READ_WRITE)),
        Attribute::MEMPOOL_HANDLE => Ok(Answer::Word(0)),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// What `cuPointerGetAttributes` tells of a pointer that the driver does not know.
pub(crate) fn unknown(attribute: Attribute) -> Outcome<Answer> {
    match attribute {
        Attribute::DEVICE_ORDINAL => Ok(Answer::Number(NO_DEVICE.cast_unsigned())),
        Attribute::MEMORY_TYPE | Attribute::ACCESS_FLAGS => Ok(Answer::Number(0)),
        Attribute::IS_MANAGED
        | Attribute::IS_LEGACY_CUDA_IPC_CAPABLE
        | Attribute::IS_GPU_DIRECT_RDMA_CAPABLE
        | Attribute::MAPPED
        | Attribute::SYNC_MEMOPS => Ok(Answer::Flag(false)),
        Attribute::CONTEXT
        | Attribute::DEVICE_POINTER
        | Attribute::HOST_POINTER
        | Attribute::BUFFER_ID
        | Attribute::RANGE_START_ADDR
        | Attribute::RANGE_SIZE
        | Attribute::ALLOWED_HANDLE_TYPES
        | Attribute::MEMPOOL_HANDLE
        | Attribute::MAPPING_SIZE
        | Attribute::MAPPING_BASE_ADDR
        | Attribute::MEMORY_BLOCK_ID => Ok(Answer::Word(0)),
        _ => Err(CUresult::INVALID_VALUE),
    }
}
