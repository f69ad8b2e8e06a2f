//! Copies of rectangles and boxes, as the structures of any width state them.

use cuda_sys::{CUmemorytype, CUresult, Copy2d, Copy3d};
use std::ffi::c_void;

use super::{FromAbi, Given};
use crate::memory::{Block, End, Place};
use crate::outcome::Outcome;

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

fn place(kind: CUmemorytype, host: *const c_void, device: impl Into<u64>) -> Outcome<Place> {
    match kind {
        CUmemorytype::HOST => Ok(Place::Host(host.expose_provenance() as u64)),
        CUmemorytype::DEVICE => Ok(Place::Device(device.into())),
        CUmemorytype::UNIFIED => Ok(Place::Unified(device.into())),
        // Arrays are not simulated, so there is none to copy.
        CUmemorytype::ARRAY => Err(CUresult::NOT_SUPPORTED),
        _ => Err(CUresult::INVALID_VALUE),
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
        Ok(Self {
            destination: End {
                place: place(copy.dstMemoryType, copy.dstHost, copy.dstDevice)?,
                pitch: wide(copy.dstPitch)?,
                rows: 0,
                corner: (wide(copy.dstXInBytes)?, wide(copy.dstY)?, 0),
            },
            source: End {
                place: place(copy.srcMemoryType, copy.srcHost, copy.srcDevice)?,
                pitch: wide(copy.srcPitch)?,
                rows: 0,
                corner: (wide(copy.srcXInBytes)?, wide(copy.srcY)?, 0),
            },
            block: Block { width: wide(copy.WidthInBytes)?, height: wide(copy.Height)?, depth: 1 },
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
        Ok(Self {
            destination: End {
                place: place(copy.dstMemoryType, copy.dstHost, copy.dstDevice)?,
                pitch: wide(copy.dstPitch)?,
                rows: wide(copy.dstHeight)?,
                corner: (wide(copy.dstXInBytes)?, wide(copy.dstY)?, wide(copy.dstZ)?),
            },
            source: End {
                place: place(copy.srcMemoryType, copy.srcHost, copy.srcDevice)?,
                pitch: wide(copy.srcPitch)?,
                rows: wide(copy.srcHeight)?,
                corner: (wide(copy.srcXInBytes)?, wide(copy.srcY)?, wide(copy.srcZ)?),
            },
            block: Block {
                width: wide(copy.WidthInBytes)?,
                height: wide(copy.Height)?,
                depth: wide(copy.Depth)?,
            },
        })
    }
}
