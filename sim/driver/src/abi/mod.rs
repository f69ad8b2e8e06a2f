//! The border to C: from raw arguments to what the bodies of entry points are written in.
//!
//! The body of an entry point states by the types of its parameters what it needs, and the entry point converts: a
//! null output, a missing context or a call before `cuInit` never reaches a body. Variants of an entry point that
//! differ in the width of sizes and addresses, or in the meaning of stream 0, share one body.

mod arrays;
mod call;
mod copies;
mod numbers;
mod places;

pub(crate) use arrays::ShapeOut;
pub(crate) use call::{Any, Current, FromCall, Ready};
pub(crate) use copies::CopyOrder;
pub(crate) use numbers::{Address, Handle, Size, Text};
pub(crate) use places::{
    AddressOut, Given, HandleOut, MaybeGiven, MaybeHandleOut, MaybeOut, MaybeSizeOut, Out, SizeOut,
};

use crate::outcome::Outcome;

/// A value made from a C argument.
pub(crate) trait FromAbi<Raw>: Sized {
    /// Converts, or says which error the argument deserves.
    ///
    /// # Safety
    ///
    /// A pointer among `raw` must be null or valid as the documentation of the called function demands, for as long
    /// as the value is used.
    unsafe fn from_abi(raw: Raw) -> Outcome<Self>;
}

impl<T> FromAbi<T> for T {
    unsafe fn from_abi(raw: T) -> Outcome<Self> {
        Ok(raw)
    }
}
