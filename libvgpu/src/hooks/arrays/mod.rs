//! Arrays and mipmapped arrays: charged what the driver says that they take, or the most that they can take where it does
//! not say. Views of them cost nothing, nor do arrays of memory that came from elsewhere.

mod mapping;
mod request;
mod size;

use crate::abi::driver::real;
use crate::state::slice;
use cuda_sys::*;
use request::Request;

pub(crate) use mapping::{cuMemMapArrayAsync, cuMemMapArrayAsync_ptsz};

pub(crate) unsafe fn cuArrayCreate(
    array: *mut CUarray,
    descriptor: *const CUDA_ARRAY_DESCRIPTOR_v1,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuArrayCreate(array, descriptor) };
    // SAFETY: the application gave it for reading.
    let shape = unsafe { descriptor.as_ref() }.map(solid);
    Request { handle: array, shape, levels: None, call, destroy: destroy_array }.charged()
}

pub(crate) unsafe fn cuArrayCreate_v2(
    array: *mut CUarray,
    descriptor: *const CUDA_ARRAY_DESCRIPTOR,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuArrayCreate_v2(array, descriptor) };
    // SAFETY: the application gave it for reading.
    let shape = unsafe { descriptor.as_ref() }.map(solid);
    Request { handle: array, shape, levels: None, call, destroy: destroy_array }.charged()
}

pub(crate) unsafe fn cuArray3DCreate(
    array: *mut CUarray,
    descriptor: *const CUDA_ARRAY3D_DESCRIPTOR_v1,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuArray3DCreate(array, descriptor) };
    // SAFETY: the application gave it for reading.
    let shape = unsafe { descriptor.as_ref() }.map(|narrow| CUDA_ARRAY3D_DESCRIPTOR {
        Width: narrow.Width as usize,
        Height: narrow.Height as usize,
        Depth: narrow.Depth as usize,
        Format: narrow.Format,
        NumChannels: narrow.NumChannels,
        Flags: narrow.Flags,
    });
    Request { handle: array, shape, levels: None, call, destroy: destroy_array }.charged()
}

pub(crate) unsafe fn cuArray3DCreate_v2(
    array: *mut CUarray,
    descriptor: *const CUDA_ARRAY3D_DESCRIPTOR,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuArray3DCreate_v2(array, descriptor) };
    // SAFETY: the application gave it for reading.
    let shape = unsafe { descriptor.as_ref() }.copied();
    Request { handle: array, shape, levels: None, call, destroy: destroy_array }.charged()
}

pub(crate) unsafe fn cuMipmappedArrayCreate(
    mipmap: *mut CUmipmappedArray,
    descriptor: *const CUDA_ARRAY3D_DESCRIPTOR,
    levels: c_uint,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuMipmappedArrayCreate(mipmap, descriptor, levels) };
    // SAFETY: the application gave it for reading.
    let shape = unsafe { descriptor.as_ref() }.copied();
    Request { handle: mipmap, shape, levels: Some(levels), call, destroy: destroy_mipmap }.charged()
}

pub(crate) unsafe fn cuArrayDestroy(array: CUarray) -> CUresult {
    // SAFETY: the application's own argument.
    destroyed(array.0, || unsafe { real::cuArrayDestroy(array) })
}

pub(crate) unsafe fn cuMipmappedArrayDestroy(mipmap: CUmipmappedArray) -> CUresult {
    // SAFETY: the application's own argument.
    destroyed(mipmap.0, || unsafe { real::cuMipmappedArrayDestroy(mipmap) })
}

/// Has the driver destroy `handle`, and what was charged for that given back.
fn destroyed(handle: *mut c_void, call: impl FnOnce() -> CUresult) -> CUresult {
    match slice().ok().flatten().and_then(|slice| slice.member_if_joined()) {
        Some(member) => member.destroy_array(handle as u64, call),
        None => call(),
    }
}

/// A descriptor of two dimensions as one of three.
fn solid<Size: Copy + TryInto<usize>>(flat: &ArrayDescriptor<Size>) -> CUDA_ARRAY3D_DESCRIPTOR {
    let wide = |size: Size| size.try_into().unwrap_or(usize::MAX);
    CUDA_ARRAY3D_DESCRIPTOR {
        Width: wide(flat.Width),
        Height: wide(flat.Height),
        Depth: 0,
        Format: flat.Format,
        NumChannels: flat.NumChannels,
        Flags: 0,
    }
}

/// # Safety
/// `array` must be known to nobody else.
unsafe fn destroy_array(array: CUarray) {
    // SAFETY: promised by the caller.
    let _ = unsafe { real::cuArrayDestroy(array) };
}

/// # Safety
/// `mipmap` must be known to nobody else.
unsafe fn destroy_mipmap(mipmap: CUmipmappedArray) {
    // SAFETY: promised by the caller.
    let _ = unsafe { real::cuMipmappedArrayDestroy(mipmap) };
}
