//! Descriptors of arrays, of any width.

use std::ffi::c_uint;

use cuda_sys::{Array3dDescriptor, ArrayDescriptor, CUresult};

use super::{FromAbi, Given, Out};
use crate::array::Shape;
use crate::outcome::Outcome;

impl<Size> FromAbi<*const ArrayDescriptor<Size>> for Shape
where
    Size: TryInto<u64> + Copy,
{
    unsafe fn from_abi(raw: *const ArrayDescriptor<Size>) -> Outcome<Self> {
        // SAFETY: passed on.
        let Given(flat) = unsafe { Given::from_abi(raw) }?;
        Ok(Self {
            width: wide(flat.Width)?,
            height: wide(flat.Height)?,
            depth: 0,
            format: flat.Format,
            channels: flat.NumChannels,
            flags: 0,
        })
    }
}

impl<Size> FromAbi<*const Array3dDescriptor<Size>> for Shape
where
    Size: TryInto<u64> + Copy,
{
    unsafe fn from_abi(raw: *const Array3dDescriptor<Size>) -> Outcome<Self> {
        // SAFETY: passed on.
        let Given(solid) = unsafe { Given::from_abi(raw) }?;
        Ok(Self {
            width: wide(solid.Width)?,
            height: wide(solid.Height)?,
            depth: wide(solid.Depth)?,
            format: solid.Format,
            channels: solid.NumChannels,
            flags: solid.Flags,
        })
    }
}

fn wide(size: impl TryInto<u64>) -> Outcome<u64> {
    size.try_into().map_err(|_| CUresult::INVALID_VALUE)
}

/// Where the caller wants a descriptor.
#[derive(Debug)]
pub(crate) enum ShapeOut {
    /// Of two dimensions.
    Flat(Out<ArrayDescriptor<usize>>),
    /// Of two dimensions and 32 bits.
    NarrowFlat(Out<ArrayDescriptor<c_uint>>),
    /// Of three dimensions.
    Solid(Out<Array3dDescriptor<usize>>),
    /// Of three dimensions and 32 bits.
    NarrowSolid(Out<Array3dDescriptor<c_uint>>),
}

macro_rules! outputs {
    ($($descriptor:ty => $variant:ident;)*) => { $(
        impl FromAbi<*mut $descriptor> for ShapeOut {
            unsafe fn from_abi(raw: *mut $descriptor) -> Outcome<Self> {
                // SAFETY: passed on.
                unsafe { Out::from_abi(raw) }.map(Self::$variant)
            }
        }
    )* };
}

outputs! {
    ArrayDescriptor<usize> => Flat;
    ArrayDescriptor<c_uint> => NarrowFlat;
    Array3dDescriptor<usize> => Solid;
    Array3dDescriptor<c_uint> => NarrowSolid;
}

impl ShapeOut {
    /// Stores the descriptor. An array is far smaller than any of its widths.
    pub(crate) fn set(&self, shape: &Shape) {
        match self {
            Self::Flat(place) => place.set(flat(shape)),
            Self::NarrowFlat(place) => place.set(flat(shape)),
            Self::Solid(place) => place.set(solid(shape)),
            Self::NarrowSolid(place) => place.set(solid(shape)),
        }
    }
}

fn flat<Size: TryFrom<u64> + Default>(shape: &Shape) -> ArrayDescriptor<Size> {
    ArrayDescriptor {
        Width: Size::try_from(shape.width).unwrap_or_default(),
        Height: Size::try_from(shape.height).unwrap_or_default(),
        Format: shape.format,
        NumChannels: shape.channels,
    }
}

fn solid<Size: TryFrom<u64> + Default>(shape: &Shape) -> Array3dDescriptor<Size> {
    Array3dDescriptor {
        Width: Size::try_from(shape.width).unwrap_or_default(),
        Height: Size::try_from(shape.height).unwrap_or_default(),
        Depth: Size::try_from(shape.depth).unwrap_or_default(),
        Format: shape.format,
        NumChannels: shape.channels,
        Flags: shape.flags,
    }
}
