//! The linker.

use std::ffi::{c_char, c_uint, c_void};

use cuda_sys::{CUjit_option, CUjitInputType, CUresult};

use crate::abi::{Current, Handle, HandleOut, Out, Ready, Text};
use crate::outcome::Outcome;
use crate::work::Link;

/// There is nothing to compile, so options make no difference, and nothing is written to logs.
pub(crate) fn cuLinkCreate_v2(
    call: Current,
    _count: c_uint,
    _options: *mut CUjit_option,
    _values: *mut *mut c_void,
    made: HandleOut,
) -> Outcome {
    made.set(call.driver.links.insert(Link::default()));
    Ok(())
}

/// # Safety
///
/// `data` must be null or valid for reads of `size` bytes.
pub(crate) unsafe fn cuLinkAddData_v2(
    call: Ready,
    link: Handle,
    kind: CUjitInputType,
    data: *mut c_void,
    size: usize,
    _name: *const c_char,
    _count: c_uint,
    _options: *mut CUjit_option,
    _values: *mut *mut c_void,
) -> Outcome {
    let link = Link::of(call.driver, link.0)?;
    if data.is_null() || size == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, so readable for its size.
    link.add(kind, unsafe { std::slice::from_raw_parts(data.cast(), size) })
}

pub(crate) fn cuLinkAddFile_v2(
    call: Ready,
    link: Handle,
    kind: CUjitInputType,
    path: Text,
    _count: c_uint,
    _options: *mut CUjit_option,
    _values: *mut *mut c_void,
) -> Outcome {
    let link = Link::of(call.driver, link.0)?;
    link.add(kind, &std::fs::read(&path.0).map_err(|_| CUresult::FILE_NOT_FOUND)?)
}

/// What is linked can be loaded here, and nowhere else: it is a text that names kernels and variables.
pub(crate) fn cuLinkComplete(
    call: Ready,
    link: Handle,
    image: Out<*mut c_void>,
    size: Out<usize>,
) -> Outcome {
    let (start, bytes) = Link::of(call.driver, link.0)?.complete();
    image.set(start.cast_mut().cast());
    size.set(bytes);
    Ok(())
}

pub(crate) fn cuLinkDestroy(call: Ready, link: Handle) -> Outcome {
    call.driver.links.remove(link.0).map(drop).ok_or(CUresult::INVALID_HANDLE)
}

same! {
    cuLinkCreate_v2: cuLinkCreate;
    cuLinkAddData_v2: cuLinkAddData;
    cuLinkAddFile_v2: cuLinkAddFile;
}
