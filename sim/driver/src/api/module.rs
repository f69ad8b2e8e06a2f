//! Modules.

use std::ffi::{c_uint, c_void};

use cuda_sys::{CUjit_option, CUresult};

use crate::abi::{AddressOut, Current, Handle, HandleOut, MaybeSizeOut, Text};
use crate::outcome::Outcome;
use crate::work::{Image, find_function, load_module, unload_module};

pub(crate) fn cuModuleLoad(call: Current, made: HandleOut, path: Text) -> Outcome {
    let image = std::fs::read(&path.0).map_err(|_| CUresult::FILE_NOT_FOUND)?;
    made.set(load_module(call.driver, &call.context, Image::from_bytes(&image))?);
    Ok(())
}

/// # Safety
///
/// `image` must be null or an image of a module.
pub(crate) unsafe fn cuModuleLoadData(call: Current, made: HandleOut, image: *const c_void) -> Outcome {
    if image.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: an image differs from the beginning of a simulated module, or is one.
    let image = unsafe { Image::read(image.cast()) };
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

/// Simulated modules have no variables.
pub(crate) fn cuModuleGetGlobal_v2(
    call: Current,
    _address: AddressOut,
    _bytes: MaybeSizeOut,
    module: Handle,
    _name: Text,
) -> Outcome {
    call.driver.modules.get(module.0).ok_or(CUresult::INVALID_HANDLE)?;
    Err(CUresult::NOT_FOUND)
}

same! {
    cuModuleLoadData: cuModuleLoadFatBinary;
    cuModuleGetGlobal_v2: cuModuleGetGlobal;
}
