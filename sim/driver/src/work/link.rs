//! Linking: several images become one.

use std::sync::{Arc, Mutex};

use cuda_sys::{CUjitInputType, CUresult};

use super::{BadImage, Image};
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::Driver;

/// Code for a real device, PTX, a fat binary, an object, and an archive of objects.
const CUBIN: CUjitInputType = 0;
const LIBRARY: CUjitInputType = 4;
/// Intermediate code, of which nothing is known here but that it becomes kernels.
const NVVM: CUjitInputType = 5;

/// A linker invocation.
#[derive(Debug, Default)]
pub(crate) struct Link(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    image: Image,
    /// What it became, which the caller reads until the invocation is destroyed.
    linked: Option<Box<[u8]>>,
}

impl Link {
    /// The invocation of a handle.
    pub(crate) fn of(driver: &Driver, handle: usize) -> Outcome<Arc<Self>> {
        driver.links.get(handle).ok_or(CUresult::INVALID_HANDLE)
    }

    /// Takes in some code.
    pub(crate) fn add(&self, kind: CUjitInputType, data: &[u8]) -> Outcome {
        let added = match kind {
            // What an archive adds serves kernels and is none.
            LIBRARY => Image::default(),
            NVVM => Image { is_opaque: true, ..Image::default() },
            CUBIN..LIBRARY => Image::from_bytes(data).map_err(|BadImage { code, .. }| code)?,
            _ => return Err(CUresult::INVALID_VALUE),
        };
        lock(&self.0).image.join(added);
        Ok(())
    }

    /// Links. Address and size of the image stay until the invocation is destroyed.
    pub(crate) fn complete(&self) -> (*const u8, usize) {
        let mut state = lock(&self.0);
        let text = state.image.to_text();
        let linked = state.linked.get_or_insert_with(|| (text + "\0").into_bytes().into_boxed_slice());
        (linked.as_ptr(), linked.len())
    }
}
