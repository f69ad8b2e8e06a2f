//! Arrays as the program holds them.

use std::sync::Arc;

use cuda_sys::{
    CUDA_ARRAY_MEMORY_REQUIREMENTS as Requirements, CUDA_ARRAY_SPARSE_PROPERTIES as SparseProperties,
    CUDA_ARRAY3D_FLAGS as Flags, CUresult,
};
use sim_kernel::ContextId;

use super::layout::{PAGE, Part, lay_out};
use super::mapping::Target;
use super::{Shape, tiles};
use crate::address::Kind;
use crate::context::Context;
use crate::memory::{self, Block, End, Place};
use crate::outcome::Outcome;
use crate::process::Driver;
use crate::width::to_usize;

/// An array.
#[derive(Debug)]
pub(crate) struct Array {
    /// What the caller calls it.
    pub(crate) handle: usize,
    /// The context that takes it along.
    pub(crate) context: ContextId,
    /// What it is.
    pub(crate) shape: Shape,
    /// Where its planes are in its memory.
    parts: Vec<Part>,
    memory: Memory,
    owner: Owner,
}

/// What is behind an array or a mipmapped one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// Bytes of all of it.
    pub(super) bytes: u64,
    /// Where they are; `None` for those that memory is mapped to.
    pub(super) address: Option<u64>,
}

/// Whose memory an array shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Itself,
    /// That of the array of this handle.
    Array(usize),
    /// That of the mipmapped array of this handle.
    Mipmap(usize),
}

impl Memory {
    /// Allocates it, unless it is to be mapped.
    pub(super) fn allocate(driver: &Driver, context: &Context, shape: &Shape, bytes: u64) -> Outcome<Self> {
        if shape.is_mapped() {
            return Ok(Self { bytes, address: None });
        }
        let address = memory::allocate(driver, context, to_usize(bytes), Kind::Array)?;
        Ok(Self { bytes, address: Some(address) })
    }

    /// Frees it after the work of the current context, as `cuMemFree` does.
    pub(super) fn free(self, driver: &Driver, current: &Context) -> Outcome {
        current.synchronize(driver)?;
        self.address.map_or(Ok(()), |address| memory::free_array(driver, address))
    }

    /// What has to be mapped to a deferred array.
    pub(super) fn requirements(self, shape: &Shape) -> Outcome<Requirements> {
        if !shape.has(Flags::DEFERRED_MAPPING) {
            return Err(CUresult::INVALID_VALUE);
        }
        Ok(Requirements { size: to_usize(self.bytes), alignment: to_usize(PAGE), reserved: [0; 4] })
    }
}

impl Array {
    /// Creates an array.
    pub(crate) fn create(driver: &Driver, context: &Context, shape: Shape) -> Outcome<Arc<Self>> {
        shape.check(driver.device(context.device)?, false)?;
        let (mut levels, bytes) = lay_out(&shape, 1);
        let memory = Memory::allocate(driver, context, &shape, bytes)?;
        let parts = levels.pop().unwrap_or_default();
        let context = context.life()?.id;
        Ok(driver.array_parts.arrays.insert_with(|handle| Self {
            handle,
            context,
            shape,
            parts,
            memory,
            owner: Owner::Itself,
        }))
    }

    /// The array of a handle.
    pub(crate) fn of(driver: &Driver, handle: usize) -> Outcome<Arc<Self>> {
        driver.array_parts.arrays.get(handle).ok_or(CUresult::INVALID_HANDLE)
    }

    /// Destroys an array with the views of it, which cannot be destroyed themselves.
    pub(crate) fn destroy(driver: &Driver, current: &Context, handle: usize) -> Outcome {
        if Self::of(driver, handle)?.owner != Owner::Itself {
            return Err(CUresult::INVALID_HANDLE);
        }
        let array = driver.array_parts.arrays.remove(handle).ok_or(CUresult::INVALID_HANDLE)?;
        driver.array_parts.arrays.retain(|view| view.owner != Owner::Array(handle));
        driver.array_parts.bindings.forget(driver, handle)?;
        array.memory.free(driver, current)
    }

    /// What memory is mapped to; `None` for a view.
    pub(super) fn target(&self) -> Option<Target> {
        let (handle, context, shape) = (self.handle, self.context, self.shape);
        (self.owner == Owner::Itself).then_some(Target { handle, context, shape, levels: 1 })
    }

    /// A plane of an array of several.
    pub(crate) fn plane(&self, driver: &Driver, index: u32) -> Outcome<Arc<Self>> {
        let planes = self.shape.planes();
        let found = usize::try_from(index).ok().filter(|_| planes.len() > 1);
        let found = found.and_then(|index| planes.get(index).zip(self.parts.get(index)));
        let (plane, part) = found.ok_or(CUresult::INVALID_VALUE)?;
        Ok(self.view(driver, Owner::Array(self.handle), self.shape.plane(plane), vec![*part]))
    }

    /// A level of a mipmapped array.
    pub(super) fn level(driver: &Driver, mipmap: &super::Mipmap, level: u32, parts: &[Part]) -> Arc<Self> {
        let base = Self {
            handle: mipmap.handle,
            context: mipmap.context,
            shape: mipmap.shape,
            parts: Vec::new(),
            memory: mipmap.memory,
            owner: Owner::Itself,
        };
        base.view(driver, Owner::Mipmap(mipmap.handle), mipmap.shape.level(level), parts.to_vec())
    }

    /// Forgets the levels of a mipmapped array.
    pub(super) fn forget_levels(driver: &Driver, mipmap: usize) {
        driver.array_parts.arrays.retain(|view| view.owner != Owner::Mipmap(mipmap));
    }

    /// The one view of this part.
    fn view(&self, driver: &Driver, owner: Owner, shape: Shape, parts: Vec<Part>) -> Arc<Self> {
        let known = driver.array_parts.arrays.find(|view| view.owner == owner && view.parts == parts);
        let (context, memory) = (self.context, self.memory);
        known.unwrap_or_else(|| {
            driver.array_parts.arrays.insert_with(|handle| Self {
                handle,
                context,
                shape,
                parts,
                memory,
                owner,
            })
        })
    }

    /// What has to be mapped to it.
    pub(crate) fn requirements(&self) -> Outcome<Requirements> {
        self.memory.requirements(&self.shape)
    }

    /// How it is divided into tiles.
    pub(crate) fn sparse_properties(&self) -> Outcome<SparseProperties> {
        tiles::properties(&self.shape, 1)
    }

    /// `block` at `corner` of the array as an end of a copy.
    pub(crate) fn end(&self, corner: (u64, u64, u64), block: Block) -> Outcome<End> {
        // Of an array of several planes, each is copied on its own.
        let [part] = self.parts[..] else { return Err(CUresult::INVALID_VALUE) };
        let wanted = [(corner.0, block.width), (corner.1, block.height), (corner.2, block.depth)];
        let is_inside = wanted
            .iter()
            .zip(part.used)
            .all(|((start, length), most)| start.checked_add(*length).is_some_and(|end| end <= most));
        if !is_inside {
            return Err(CUresult::INVALID_VALUE);
        }
        // What is mapped to an array has no contents here.
        let address = self.memory.address.ok_or(CUresult::NOT_SUPPORTED)?;
        Ok(End { place: Place::Device(address + part.start), pitch: part.pitch, rows: part.rows, corner })
    }

    /// `bytes` bytes from `offset` of a one-dimensional array.
    pub(crate) fn line(&self, offset: u64, bytes: u64) -> Outcome<End> {
        if self.shape.height != 0 || self.shape.depth != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        self.end((offset, 0, 0), Block::line(bytes))
    }
}

/// A context is gone: so is what was made in it.
pub(crate) fn forget_context(driver: &Driver, context: ContextId) -> Outcome {
    driver.array_parts.arrays.retain(|array| array.context != context);
    driver.array_parts.mipmaps.retain(|mipmap| mipmap.context != context);
    driver.array_parts.textures.retain(|texture| texture.context != context);
    driver.array_parts.surfaces.retain(|surface| surface.context != context);
    driver.array_parts.bindings.forget_context(driver, context)
}
