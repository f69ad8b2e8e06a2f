//! Copies of rectangles and boxes, as the structures of any width state them.

use cuda_sys::{CUarray, CUmemorytype, CUresult, Copy2d, Copy3d};
use std::ffi::c_void;

use super::{FromAbi, Given};
use crate::array::Array;
use crate::memory::{Block, End, Place};
use crate::outcome::Outcome;
use crate::process::Driver;

/// A copy: where to, where from, how much.
#[derive(Clone, Debug)]
pub(crate) struct CopyOrder {
    /// Where to.
    pub(crate) destination: End,
    /// Where from.
    pub(crate) source: End,
    /// How much.
    pub(crate) block: Block,
}

impl CopyOrder {
    /// Of bytes in a row.
    pub(crate) fn line(destination: Place, source: Place, bytes: u64) -> Self {
        Self { destination: End::flat(destination), source: End::flat(source), block: Block::line(bytes) }
    }
}

/// The four ways in which a structure names the memory of an end.
struct Named {
    kind: CUmemorytype,
    host: *const c_void,
    device: u64,
    array: CUarray,
}

impl Named {
    /// `block` at `corner` of that memory, which has so many bytes from row to row and rows from slice to slice; those of
    /// an array are its own.
    fn end(&self, (pitch, rows): (u64, u64), corner: (u64, u64, u64), block: Block) -> Outcome<End> {
        let place = match self.kind {
            CUmemorytype::HOST => Place::Host(self.host.expose_provenance() as u64),
            CUmemorytype::DEVICE => Place::Device(self.device),
            CUmemorytype::UNIFIED => Place::Unified(self.device),
            CUmemorytype::ARRAY => {
                return Array::of(Driver::get()?, self.array.0.addr())?.end(corner, block);
            }
            _ => return Err(CUresult::INVALID_VALUE),
        };
        Ok(End { place, pitch, rows, corner })
    }
}

fn wide(size: impl TryInto<u64>) -> Outcome<u64> {
    size.try_into().map_err(|_| CUresult::INVALID_VALUE)
}

impl<Size, Address> FromAbi<*const Copy2d<Size, Address>> for CopyOrder
where
    Size: TryInto<u64> + Copy,
    Address: Into<u64> + Copy,
{
    unsafe fn from_abi(raw: *const Copy2d<Size, Address>) -> Outcome<Self> {
        // SAFETY: passed on.
        let Given(copy) = unsafe { Given::from_abi(raw) }?;
        let block = Block { width: wide(copy.WidthInBytes)?, height: wide(copy.Height)?, depth: 1 };
        let to = Named {
            kind: copy.dstMemoryType,
            host: copy.dstHost,
            device: copy.dstDevice.into(),
            array: copy.dstArray,
        };
        let from = Named {
            kind: copy.srcMemoryType,
            host: copy.srcHost,
            device: copy.srcDevice.into(),
            array: copy.srcArray,
        };
        let to_corner = (wide(copy.dstXInBytes)?, wide(copy.dstY)?, 0);
        let from_corner = (wide(copy.srcXInBytes)?, wide(copy.srcY)?, 0);
        Ok(Self {
            destination: to.end((wide(copy.dstPitch)?, 0), to_corner, block)?,
            source: from.end((wide(copy.srcPitch)?, 0), from_corner, block)?,
            block,
        })
    }
}

impl<Size, Address> FromAbi<*const Copy3d<Size, Address>> for CopyOrder
where
    Size: TryInto<u64> + Copy,
    Address: Into<u64> + Copy,
{
    unsafe fn from_abi(raw: *const Copy3d<Size, Address>) -> Outcome<Self> {
        // SAFETY: passed on.
        let Given(copy) = unsafe { Given::from_abi(raw) }?;
        if wide(copy.srcLOD)? != 0 || wide(copy.dstLOD)? != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let (width, height, depth) = (wide(copy.WidthInBytes)?, wide(copy.Height)?, wide(copy.Depth)?);
        let block = Block { width, height, depth };
        let to = Named {
            kind: copy.dstMemoryType,
            host: copy.dstHost,
            device: copy.dstDevice.into(),
            array: copy.dstArray,
        };
        let from = Named {
            kind: copy.srcMemoryType,
            host: copy.srcHost,
            device: copy.srcDevice.into(),
            array: copy.srcArray,
        };
        let to_corner = (wide(copy.dstXInBytes)?, wide(copy.dstY)?, wide(copy.dstZ)?);
        let from_corner = (wide(copy.srcXInBytes)?, wide(copy.srcY)?, wide(copy.srcZ)?);
        Ok(Self {
            destination: to.end((wide(copy.dstPitch)?, wide(copy.dstHeight)?), to_corner, block)?,
            source: from.end((wide(copy.srcPitch)?, wide(copy.srcHeight)?), from_corner, block)?,
            block,
        })
    }
}
