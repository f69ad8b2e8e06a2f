//! Texture and surface objects: names for ways to read arrays and memory. No kernel here reads anything.

use cuda_sys::{
    CUDA_ARRAY3D_FLAGS as Flags, CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC,
    CUresourcetype as Type, CUresult,
};
use sim_kernel::ContextId;

use super::{Array, Mipmap};
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::Driver;
use crate::width::to_usize;

/// A texture object.
#[derive(Debug)]
pub(crate) struct Texture {
    /// The context that takes it along.
    pub(crate) context: ContextId,
    /// What it reads.
    pub(crate) resource: CUDA_RESOURCE_DESC,
    /// How it reads.
    pub(crate) texture: CUDA_TEXTURE_DESC,
    /// Which part it reads, if not all.
    pub(crate) view: Option<CUDA_RESOURCE_VIEW_DESC>,
}

/// A surface object.
#[derive(Debug)]
pub(crate) struct Surface {
    /// The context that takes it along.
    pub(crate) context: ContextId,
    /// What it reads and writes.
    pub(crate) resource: CUDA_RESOURCE_DESC,
}

impl Texture {
    /// Checks that there is what it reads; a view is one of an array.
    pub(crate) fn check(&self, driver: &Driver) -> Outcome {
        let first = self.resource.res[0];
        let found = match self.resource.resType {
            Type::ARRAY => Array::of(driver, to_usize(first)).is_ok(),
            Type::MIPMAPPED_ARRAY => Mipmap::of(driver, to_usize(first)).is_ok(),
            Type::LINEAR | Type::PITCH2D => {
                self.view.is_none() && lock(&driver.space).holding(first).is_some()
            }
            _ => false,
        };
        if found && self.resource.flags == 0 { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
    }
}

impl Surface {
    /// Checks that there is an array that can be written to.
    pub(crate) fn check(&self, driver: &Driver) -> Outcome {
        let is_array = self.resource.resType == Type::ARRAY && self.resource.flags == 0;
        let array = Array::of(driver, to_usize(self.resource.res[0])).ok().filter(|_| is_array);
        let fine = array.is_some_and(|array| array.shape.has(Flags::SURFACE_LDST));
        if fine { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
    }
}
