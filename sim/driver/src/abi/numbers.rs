//! Arguments that are values.

use std::ffi::{CStr, c_char, c_uint};

use cuda_sys::{
    CUarray, CUcontext, CUdevResourceDesc, CUevent, CUfunction, CUgraph, CUgraphExec, CUgraphNode,
    CUgreenCtx, CUkernel, CUlibrary, CUlinkState, CUmemoryPool, CUmipmappedArray, CUmodule, CUresult,
    CUstream,
};

use super::FromAbi;
use crate::outcome::Outcome;

/// A size in bytes or elements, of 32 bits in symbols of API 2.0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size(pub(crate) usize);

/// A device address, of 32 bits in symbols of API 2.0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address(pub(crate) u64);

/// A handle of any kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle(pub(crate) usize);

/// A string; null is an invalid value.
#[derive(Debug)]
pub(crate) struct Text(pub(crate) String);

impl FromAbi<usize> for Size {
    unsafe fn from_abi(raw: usize) -> Outcome<Self> {
        Ok(Self(raw))
    }
}

impl FromAbi<c_uint> for Size {
    unsafe fn from_abi(raw: c_uint) -> Outcome<Self> {
        usize::try_from(raw).map(Self).map_err(|_| CUresult::INVALID_VALUE)
    }
}

impl FromAbi<u64> for Address {
    unsafe fn from_abi(raw: u64) -> Outcome<Self> {
        Ok(Self(raw))
    }
}

impl FromAbi<c_uint> for Address {
    unsafe fn from_abi(raw: c_uint) -> Outcome<Self> {
        Ok(Self(raw.into()))
    }
}

macro_rules! handles {
    ($($kind:ident)*) => { $(
        impl FromAbi<$kind> for Handle {
            unsafe fn from_abi(raw: $kind) -> Outcome<Self> {
                Ok(Self(raw.0.addr()))
            }
        }
    )* };
}

handles! {
    CUarray CUcontext CUdevResourceDesc CUevent CUfunction CUgraph CUgraphExec CUgraphNode CUgreenCtx CUkernel CUlibrary CUlinkState CUmemoryPool
    CUmipmappedArray CUmodule CUstream
}

impl FromAbi<*const c_char> for Text {
    unsafe fn from_abi(raw: *const c_char) -> Outcome<Self> {
        if raw.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        // SAFETY: not null, so a string by this function's contract.
        let text = unsafe { CStr::from_ptr(raw) };
        Ok(Self(text.to_string_lossy().into_owned()))
    }
}
