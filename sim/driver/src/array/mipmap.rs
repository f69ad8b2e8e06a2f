//! Mipmapped arrays.

use std::sync::Arc;

use cuda_sys::{
    CUDA_ARRAY_MEMORY_REQUIREMENTS as Requirements, CUDA_ARRAY_SPARSE_PROPERTIES as SparseProperties,
    CUresult,
};
use sim_kernel::ContextId;

use super::layout::{Part, lay_out};
use super::mapping::Target;
use super::object::Memory;
use super::{Array, Shape, tiles};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::process::Driver;

/// A mipmapped array.
#[derive(Debug)]
pub(crate) struct Mipmap {
    /// What the caller calls it.
    pub(crate) handle: usize,
    /// The context that takes it along.
    pub(crate) context: ContextId,
    /// What its first level is.
    pub(super) shape: Shape,
    pub(super) memory: Memory,
    /// By level and then by plane.
    levels: Vec<Vec<Part>>,
}

impl Mipmap {
    /// Creates one of so many levels, or as many as there can be.
    pub(crate) fn create(
        driver: &Driver,
        context: &Context,
        shape: Shape,
        levels: u32,
    ) -> Outcome<Arc<Self>> {
        shape.check(driver.device(context.device)?, true)?;
        let (levels, bytes) = lay_out(&shape, levels.clamp(1, shape.most_levels()));
        let memory = Memory::allocate(driver, context, &shape, bytes)?;
        let context = context.life()?.id;
        Ok(driver.array_parts.mipmaps.insert_with(|handle| Self { handle, context, shape, memory, levels }))
    }

    /// The mipmapped array of a handle.
    pub(crate) fn of(driver: &Driver, handle: usize) -> Outcome<Arc<Self>> {
        driver.array_parts.mipmaps.get(handle).ok_or(CUresult::INVALID_HANDLE)
    }

    /// Destroys one with its levels.
    pub(crate) fn destroy(driver: &Driver, current: &Context, handle: usize) -> Outcome {
        let mipmap = driver.array_parts.mipmaps.remove(handle).ok_or(CUresult::INVALID_HANDLE)?;
        Array::forget_levels(driver, handle);
        driver.array_parts.bindings.forget(driver, handle)?;
        mipmap.memory.free(driver, current)
    }

    /// What memory is mapped to.
    pub(super) fn target(&self) -> Target {
        let (handle, context, shape) = (self.handle, self.context, self.shape);
        Target { handle, context, shape, levels: self.count() }
    }

    fn count(&self) -> u32 {
        u32::try_from(self.levels.len()).unwrap_or(u32::MAX)
    }

    /// A level as an array.
    pub(crate) fn level(&self, driver: &Driver, level: u32) -> Outcome<Arc<Array>> {
        let parts = usize::try_from(level).ok().and_then(|level| self.levels.get(level));
        let parts = parts.ok_or(CUresult::INVALID_VALUE)?;
        Ok(Array::level(driver, self, level, parts))
    }

    /// What has to be mapped to it.
    pub(crate) fn requirements(&self) -> Outcome<Requirements> {
        self.memory.requirements(&self.shape)
    }

    /// How it is divided into tiles.
    pub(crate) fn sparse_properties(&self) -> Outcome<SparseProperties> {
        tiles::properties(&self.shape, self.count())
    }
}
