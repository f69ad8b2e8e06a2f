//! Modules.

use std::ffi::{c_uint, c_void};

use cuda_sys::{CUfunction, CUjit_option, CUresult};

use crate::abi::{AddressOut, Current, Handle, HandleOut, MaybeSizeOut, Out, Text};
use crate::outcome::Outcome;
use crate::work::{Image, accept_image, find_function, kernel_names, load_module, unload_module, variable};

pub(crate) fn cuModuleLoad(call: Current, made: HandleOut, path: Text) -> Outcome {
    let image = std::fs::read(&path.0).map_err(|_| CUresult::FILE_NOT_FOUND)?;
    made.set(load_module(call.driver, &call.context, accept_image(Image::from_bytes(&image))?)?);
    Ok(())
}

/// # Safety
///
/// `image` must be null or an image of a module.
pub(crate) unsafe fn cuModuleLoadData(call: Current, made: HandleOut, image: *const c_void) -> Outcome {
    if image.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, so an image.
    let image = accept_image(unsafe { Image::read(image.cast()) })?;
    made.set(load_module(call.driver, &call.context, image)?);
    Ok(())
}

/// There is nothing to compile, so options make no difference.
///
/// # Safety
///
/// As for [`cuModuleLoadData`].
pub(crate) unsafe fn cuModuleLoadDataEx(
    call: Current,
    made: HandleOut,
    image: *const c_void,
    _count: c_uint,
    _options: *mut CUjit_option,
    _values: *mut *mut c_void,
) -> Outcome {
    // SAFETY: passed on.
    unsafe { cuModuleLoadData(call, made, image) }
}

pub(crate) fn cuModuleUnload(call: Current, module: Handle) -> Outcome {
    unload_module(call.driver, module.0)
}

pub(crate) fn cuModuleGetFunction(call: Current, found: HandleOut, module: Handle, name: Text) -> Outcome {
    found.set(find_function(call.driver, module.0, &name.0)?);
    Ok(())
}

pub(crate) fn cuModuleGetGlobal_v2(
    call: Current,
    address: AddressOut,
    bytes: MaybeSizeOut,
    module: Handle,
    name: Text,
) -> Outcome {
    let (start, size) = variable(call.driver, module.0, &name.0)?;
    address.set(start);
    bytes.set(size);
    Ok(())
}

pub(crate) fn cuModuleGetFunctionCount(call: Current, count: Out<c_uint>, module: Handle) -> Outcome {
    let names = kernel_names(call.driver, module.0)?;
    count.set(c_uint::try_from(names.len()).unwrap_or(c_uint::MAX));
    Ok(())
}

/// # Safety
///
/// `functions` must be null or have room for `most` handles.
pub(crate) unsafe fn cuModuleEnumerateFunctions(
    call: Current,
    functions: *mut CUfunction,
    most: c_uint,
    module: Handle,
) -> Outcome {
    if functions.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    for (at, name) in kernel_names(call.driver, module.0)?.iter().take(most as usize).enumerate() {
        let handle = find_function(call.driver, module.0, name)?;
        // SAFETY: not null and below the room.
        unsafe { functions.wrapping_add(at).write(CUfunction(std::ptr::without_provenance_mut(handle))) };
    }
    Ok(())
}

same! {
    cuModuleLoadData: cuModuleLoadFatBinary;
    cuModuleGetGlobal_v2: cuModuleGetGlobal;
}
