//! What can be asked of a pointer to mapped physical memory.

use std::ops::Range;

use cuda_sys::{CUmemorytype, CUpointer_attribute as Attribute};

use super::pointer::Answer;
use crate::handles::lock;
use crate::process::Driver;

/// Mapped memory around a pointer.
pub(super) struct Mapped {
    reservation: Range<u64>,
    mapping: (u64, u64),
    block: u64,
    /// The ordinal of its device; `None` for memory of the host.
    device: Option<i32>,
    handle_types: u32,
    access: u32,
}

impl Mapped {
    /// What is mapped where `pointer` points to.
    pub(super) fn at(driver: &Driver, pointer: u64) -> Option<Self> {
        let space = lock(&driver.space);
        let mapping = space.mapping_at(pointer)?;
        let physical = &mapping.physical;
        let device = physical.state.device.map(|_| physical.properties.location.id);
        Some(Self {
            reservation: space.reservation_at(pointer)?,
            mapping: (mapping.start, mapping.bytes),
            block: physical.state.id.0,
            device,
            handle_types: physical.properties.handle_types.0,
            access: mapping.access(device.unwrap_or(0)).0,
        })
    }

    /// `None`: the attribute means nothing here, or is one that all memory answers alike.
    pub(super) fn answer(&self, attribute: Attribute, pointer: u64) -> Option<Answer> {
        let Range { start, end } = self.reservation;
        let kind = if self.device.is_some() { CUmemorytype::DEVICE } else { CUmemorytype::HOST };
        Some(match attribute {
            // Of no context.
            Attribute::CONTEXT => Answer::Word(0),
            Attribute::MEMORY_TYPE => Answer::Number(kind.0),
            Attribute::DEVICE_POINTER => Answer::Word(pointer),
            Attribute::BUFFER_ID | Attribute::MEMORY_BLOCK_ID => Answer::Word(self.block),
            Attribute::IS_MANAGED | Attribute::IS_LEGACY_CUDA_IPC_CAPABLE => Answer::Flag(false),
            Attribute::IS_GPU_DIRECT_RDMA_CAPABLE | Attribute::SYNC_MEMOPS => Answer::Flag(false),
            Attribute::DEVICE_ORDINAL => Answer::Number(self.device.unwrap_or(0).cast_unsigned()),
            Attribute::RANGE_START_ADDR => Answer::Word(start),
            Attribute::RANGE_SIZE => Answer::Word(end - start),
            Attribute::MAPPING_BASE_ADDR => Answer::Word(self.mapping.0),
            Attribute::MAPPING_SIZE => Answer::Word(self.mapping.1),
            Attribute::MAPPED => Answer::Flag(true),
            Attribute::ALLOWED_HANDLE_TYPES => Answer::Word(self.handle_types.into()),
            Attribute::ACCESS_FLAGS => Answer::Number(self.access),
            _ => return None,
        })
    }
}
