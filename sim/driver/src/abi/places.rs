//! Arguments that are addresses of values.

use std::ffi::{c_uint, c_void};
use std::ptr::NonNull;

use cuda_sys::{
    CUarray, CUcontext, CUdevResourceDesc, CUevent, CUfunction, CUgraph, CUgraphExec, CUgraphNode,
    CUgreenCtx, CUkernel, CUlibrary, CUlinkState, CUmemoryPool, CUmipmappedArray, CUmodule, CUresult,
    CUstream,
};

use super::FromAbi;
use crate::outcome::Outcome;

/// Where the caller wants a result; null is an invalid value.
#[derive(Debug)]
pub(crate) struct Out<T>(NonNull<T>);

/// Where the caller wants a result, if anywhere.
#[derive(Debug)]
pub(crate) struct MaybeOut<T>(Option<NonNull<T>>);

/// A structure that the caller passes by address; null is an invalid value.
#[derive(Debug)]
pub(crate) struct Given<T>(pub(crate) T);

impl<T> FromAbi<*mut T> for Out<T> {
    unsafe fn from_abi(raw: *mut T) -> Outcome<Self> {
        NonNull::new(raw).map(Self).ok_or(CUresult::INVALID_VALUE)
    }
}

impl<T> FromAbi<*mut T> for MaybeOut<T> {
    unsafe fn from_abi(raw: *mut T) -> Outcome<Self> {
        Ok(Self(NonNull::new(raw)))
    }
}

impl<T: Copy> FromAbi<*const T> for Given<T> {
    unsafe fn from_abi(raw: *const T) -> Outcome<Self> {
        if raw.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        // SAFETY: not null, so a readable `T` by this function's contract.
        Ok(Self(unsafe { raw.read_unaligned() }))
    }
}

/// A structure that the caller passes by address, if any.
#[derive(Debug)]
pub(crate) struct MaybeGiven<T>(pub(crate) Option<T>);

impl<T: Copy> FromAbi<*const T> for MaybeGiven<T> {
    unsafe fn from_abi(raw: *const T) -> Outcome<Self> {
        if raw.is_null() {
            return Ok(Self(None));
        }
        // SAFETY: passed on.
        unsafe { Given::from_abi(raw) }.map(|given| Self(Some(given.0)))
    }
}

impl<T> Out<T> {
    /// The same place, for what begins there.
    pub(crate) fn cast<Part>(&self) -> Out<Part> {
        Out(self.0.cast())
    }

    /// Stores the result.
    pub(crate) fn set(&self, value: T) {
        // SAFETY: `from_abi` was promised a place for a `T`.
        unsafe { self.0.as_ptr().write_unaligned(value) }
    }
}

impl<T> MaybeOut<T> {
    /// Stores the result, if it is wanted.
    pub(crate) fn set(&self, value: T) {
        if let Some(place) = self.0 {
            Out(place).set(value);
        }
    }
}

/// Where the caller wants a number whose width differs between variants of a symbol.
#[derive(Debug)]
enum Number<Wide> {
    Wide(Out<Wide>),
    Narrow(Out<c_uint>),
}

impl<Wide: TryInto<c_uint> + Copy> Number<Wide> {
    /// Stores the number; one that is too large for 32 bits becomes the largest of them.
    fn set(&self, value: Wide) {
        match self {
            Self::Wide(place) => place.set(value),
            Self::Narrow(place) => place.set(value.try_into().unwrap_or(c_uint::MAX)),
        }
    }
}

/// Where the caller wants a size.
#[derive(Debug)]
pub(crate) struct SizeOut(Number<usize>);

/// Where the caller wants a size, if anywhere.
#[derive(Debug)]
pub(crate) struct MaybeSizeOut(Option<SizeOut>);

/// Where the caller wants a device address, if anywhere.
#[derive(Debug)]
pub(crate) struct AddressOut(Option<Number<u64>>);

impl FromAbi<*mut usize> for SizeOut {
    unsafe fn from_abi(raw: *mut usize) -> Outcome<Self> {
        // SAFETY: passed on.
        unsafe { Out::from_abi(raw) }.map(Number::Wide).map(Self)
    }
}

impl FromAbi<*mut c_uint> for SizeOut {
    unsafe fn from_abi(raw: *mut c_uint) -> Outcome<Self> {
        // SAFETY: passed on.
        unsafe { Out::from_abi(raw) }.map(Number::Narrow).map(Self)
    }
}

impl<T> FromAbi<*mut T> for MaybeSizeOut
where
    SizeOut: FromAbi<*mut T>,
{
    unsafe fn from_abi(raw: *mut T) -> Outcome<Self> {
        if raw.is_null() {
            return Ok(Self(None));
        }
        // SAFETY: passed on.
        unsafe { SizeOut::from_abi(raw) }.map(Some).map(Self)
    }
}

impl FromAbi<*mut u64> for AddressOut {
    unsafe fn from_abi(raw: *mut u64) -> Outcome<Self> {
        Ok(Self(NonNull::new(raw).map(Out).map(Number::Wide)))
    }
}

impl FromAbi<*mut c_uint> for AddressOut {
    unsafe fn from_abi(raw: *mut c_uint) -> Outcome<Self> {
        Ok(Self(NonNull::new(raw).map(Out).map(Number::Narrow)))
    }
}

impl SizeOut {
    /// Stores the size.
    pub(crate) fn set(&self, value: usize) {
        self.0.set(value);
    }
}

impl MaybeSizeOut {
    /// Stores the size, if it is wanted.
    pub(crate) fn set(&self, value: usize) {
        if let Some(place) = &self.0 {
            place.set(value);
        }
    }
}

impl AddressOut {
    /// Fails with an invalid value when the address is not wanted.
    pub(crate) fn require(&self) -> Outcome {
        self.0.as_ref().map(|_| ()).ok_or(CUresult::INVALID_VALUE)
    }

    /// Stores the address, if it is wanted.
    pub(crate) fn set(&self, value: u64) {
        if let Some(place) = &self.0 {
            place.set(value);
        }
    }
}

/// Where the caller wants a handle.
#[derive(Debug)]
pub(crate) struct HandleOut(Out<*mut c_void>);

/// Where the caller wants a handle, if anywhere.
#[derive(Debug)]
pub(crate) struct MaybeHandleOut(Option<HandleOut>);

macro_rules! handles {
    ($($kind:ident)*) => { $(
        impl FromAbi<*mut $kind> for HandleOut {
            unsafe fn from_abi(raw: *mut $kind) -> Outcome<Self> {
                // SAFETY: passed on; a handle is a pointer and nothing else.
                unsafe { Out::from_abi(raw.cast()) }.map(Self)
            }
        }

        impl FromAbi<*mut $kind> for MaybeHandleOut {
            unsafe fn from_abi(raw: *mut $kind) -> Outcome<Self> {
                Ok(Self(NonNull::new(raw.cast()).map(Out).map(HandleOut)))
            }
        }
    )* };
}

handles! {
    CUarray CUcontext CUdevResourceDesc CUevent CUfunction CUgraph CUgraphExec CUgraphNode CUgreenCtx CUkernel CUlibrary CUlinkState CUmemoryPool
    CUmipmappedArray CUmodule CUstream
}

impl HandleOut {
    /// Stores the handle.
    pub(crate) fn set(&self, handle: usize) {
        self.0.set(std::ptr::without_provenance_mut(handle));
    }
}

impl MaybeHandleOut {
    /// Stores the handle, if it is wanted.
    pub(crate) fn set(&self, handle: usize) {
        if let Some(place) = &self.0 {
            place.set(handle);
        }
    }
}
