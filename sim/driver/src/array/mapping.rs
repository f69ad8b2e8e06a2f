//! Which tiles of an array a mapping means.

use cuda_sys::{
    CUDA_ARRAY3D_FLAGS as Flags, CUarrayMapInfo, CUarraySparseSubresourceType as Part, CUmemHandleType,
    CUmemOperationType as Operation, CUresourcetype as Type, CUresult, SparseLevel, SparseTail,
};
use sim_kernel::ContextId;
use std::sync::Arc;

use super::layout::{PAGE, lay_out};
use super::shape::Kind;
use super::{Array, Mipmap, Shape, Tile, tiles};
use crate::address::Space;
use crate::device::Device;
use crate::memory::Physical;
use crate::outcome::Outcome;
use crate::process::Driver;

/// `CU_MEM_CREATE_USAGE_TILE_POOL`
const TILE_POOL: u16 = 1;

/// An array or a mipmapped array that memory can be mapped to.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) handle: usize,
    pub(super) context: ContextId,
    pub(super) shape: Shape,
    pub(super) levels: u32,
}

/// A mapping that was found to be possible.
#[derive(Debug)]
pub(crate) struct Checked {
    target: Target,
    tiles: Vec<Tile>,
    /// Nothing: what is there is unmapped.
    memory: Option<Arc<Physical>>,
}

impl Checked {
    /// Checks an entry of a list of mappings for a device.
    pub(crate) fn of(
        driver: &Driver,
        space: &Space,
        device: &Device,
        entry: &CUarrayMapInfo,
    ) -> Outcome<Self> {
        let handle = entry.resource.addr();
        let target = match entry.resourceType {
            Type::ARRAY => Array::of(driver, handle)?.target(),
            Type::MIPMAPPED_ARRAY => Some(Mipmap::of(driver, handle)?.target()),
            _ => None,
        };
        let target = target.filter(Target::is_mapped).ok_or(CUresult::INVALID_VALUE)?;
        let is_plain =
            entry.flags == 0 && entry.reserved == [0; 2] && entry.memHandleType == CUmemHandleType::GENERIC;
        if !is_plain || entry.deviceBitMask != 1 << device.ordinal {
            return Err(CUresult::INVALID_VALUE);
        }
        let (tiles, bytes) = target.tiles(entry)?;
        let memory = match entry.memOperationType {
            Operation::MAP => Some(memory(driver, space, device, entry, bytes)?),
            Operation::UNMAP if entry.memHandle == 0 => None,
            _ => return Err(CUresult::INVALID_VALUE),
        };
        Ok(Self { target, tiles, memory })
    }

    /// Does it.
    pub(crate) fn apply(&self, driver: &Driver, space: &Space) -> Outcome {
        let array = (self.target.handle, self.target.context);
        driver.array_parts.bindings.change(driver, space, array, &self.tiles, self.memory.as_ref())
    }
}

/// The memory of an entry, if it has so many bytes for it.
fn memory(
    driver: &Driver,
    space: &Space,
    device: &Device,
    entry: &CUarrayMapInfo,
    bytes: u64,
) -> Outcome<Arc<Physical>> {
    let memory = Physical::of(driver, space, entry.memHandle)?;
    let is_here = memory.state.device == Some(device.description.index);
    let end = entry.offset.checked_add(bytes).ok_or(CUresult::INVALID_VALUE)?;
    let fits = entry.offset.is_multiple_of(PAGE) && end <= memory.state.range.bytes.0;
    let is_pool = memory.properties.flags.usage & TILE_POOL != 0;
    if is_here && fits && is_pool { Ok(memory) } else { Err(CUresult::INVALID_VALUE) }
}

impl Target {
    /// Lines have no tiles.
    fn is_mapped(&self) -> bool {
        self.shape.is_mapped() && !matches!(self.shape.kind(), Some(Kind::Line | Kind::Lines) | None)
    }

    /// The tiles of an entry, and the bytes of all of them.
    fn tiles(&self, entry: &CUarrayMapInfo) -> Outcome<(Vec<Tile>, u64)> {
        if self.shape.has(Flags::DEFERRED_MAPPING) {
            return Ok((vec![Tile::Whole], lay_out(&self.shape, self.levels).1));
        }
        let tiles = match entry.subresourceType {
            Part::SPARSE_LEVEL => self.of_level(entry.subresource.level()),
            Part::MIPTAIL => self.of_tail(entry.subresource.tail()),
            _ => None,
        };
        let tiles = tiles.ok_or(CUresult::INVALID_VALUE)?;
        let bytes = tiles.len() as u64 * PAGE;
        Ok((tiles, bytes))
    }

    fn layers(&self) -> u64 {
        if self.shape.is_layered() { self.shape.depth } else { 1 }
    }

    /// `None`: the box is not one of whole tiles inside of a level.
    fn of_level(&self, part: SparseLevel) -> Option<Vec<Tile>> {
        let properties = tiles::properties(&self.shape, self.levels).ok()?;
        let (level, layer) = (part.level, part.layer);
        if level >= properties.miptailFirstLevel || u64::from(layer) >= self.layers() {
            return None;
        }
        let shape = self.shape.level(level);
        let depth = if shape.is_layered() { 1 } else { shape.depth.max(1) };
        let mut places = [0..0, 0..0, 0..0];
        for (axis, most) in [shape.width, shape.height, depth].into_iter().enumerate() {
            let (offset, extent, tile) = (part.offset[axis], part.extent[axis], properties.tileExtent[axis]);
            let end = offset.checked_add(extent)?;
            let is_whole = extent > 0 && offset.is_multiple_of(tile) && u64::from(end) <= most;
            if !is_whole || !(end.is_multiple_of(tile) || u64::from(end) == most) {
                return None;
            }
            places[axis] = offset / tile..end.div_ceil(tile);
        }
        let [columns, rows, slices] = places;
        let mut tiles = Vec::new();
        for z in slices {
            for y in rows.clone() {
                tiles.extend(columns.clone().map(|x| Tile::Level { level, layer, place: [x, y, z] }));
            }
        }
        Some(tiles)
    }

    fn of_tail(&self, part: SparseTail) -> Option<Vec<Tile>> {
        let properties = tiles::properties(&self.shape, self.levels).ok()?;
        let end = part.offset.checked_add(part.size)?;
        let is_whole = part.size > 0 && part.offset.is_multiple_of(PAGE) && part.size.is_multiple_of(PAGE);
        if !is_whole || end > properties.miptailSize || u64::from(part.layer) >= self.layers() {
            return None;
        }
        Some((part.offset / PAGE..end / PAGE).map(|page| Tile::Tail { layer: part.layer, page }).collect())
    }
}
