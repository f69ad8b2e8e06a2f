//! Libraries and their kernels.

use std::ffi::{c_char, c_int, c_uint, c_void};

use cuda_sys::{
    CUdevice, CUfunc_cache, CUfunction_attribute, CUjit_option, CUkernel, CUlibraryOption, CUresult,
};

use crate::abi::{AddressOut, Current, Handle, HandleOut, MaybeOut, MaybeSizeOut, Out, Ready, Size, Text};
use crate::outcome::Outcome;
use crate::work::{Image, Kernel, Library, accept_image, variable};

/// There is nothing to compile, so options make no difference.
///
/// # Safety
///
/// `code` must be null or an image of a module.
pub(crate) unsafe fn cuLibraryLoadData(
    call: Ready,
    made: HandleOut,
    code: *const c_void,
    _jit: *mut CUjit_option,
    _jit_values: *mut *mut c_void,
    _jit_count: c_uint,
    _options: *mut CUlibraryOption,
    _option_values: *mut *mut c_void,
    _option_count: c_uint,
) -> Outcome {
    if code.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, so an image.
    let image = accept_image(unsafe { Image::read(code.cast()) })?;
    made.set(Library::load(call.driver, image)?);
    Ok(())
}

pub(crate) fn cuLibraryLoadFromFile(
    call: Ready,
    made: HandleOut,
    path: Text,
    _jit: *mut CUjit_option,
    _jit_values: *mut *mut c_void,
    _jit_count: c_uint,
    _options: *mut CUlibraryOption,
    _option_values: *mut *mut c_void,
    _option_count: c_uint,
) -> Outcome {
    let bytes = std::fs::read(&path.0).map_err(|_| CUresult::FILE_NOT_FOUND)?;
    made.set(Library::load(call.driver, accept_image(Image::from_bytes(&bytes))?)?);
    Ok(())
}

pub(crate) fn cuLibraryUnload(call: Ready, library: Handle) -> Outcome {
    Library::unload(call.driver, library.0)
}

pub(crate) fn cuLibraryGetKernel(call: Ready, found: HandleOut, library: Handle, name: Text) -> Outcome {
    found.set(Kernel::find(call.driver, library.0, &name.0)?);
    Ok(())
}

pub(crate) fn cuLibraryGetModule(call: Current, module: HandleOut, library: Handle) -> Outcome {
    module.set(Library::of(call.driver, library.0)?.module(call.driver, &call.context)?);
    Ok(())
}

pub(crate) fn cuLibraryGetGlobal(
    call: Current,
    address: AddressOut,
    bytes: MaybeSizeOut,
    library: Handle,
    name: Text,
) -> Outcome {
    let module = Library::of(call.driver, library.0)?.module(call.driver, &call.context)?;
    let (start, size) = variable(call.driver, module, &name.0)?;
    address.set(start);
    bytes.set(size);
    Ok(())
}

/// Nothing here compiles managed variables.
pub(crate) fn cuLibraryGetManaged(
    call: Ready,
    _address: AddressOut,
    _bytes: MaybeSizeOut,
    library: Handle,
    _name: Text,
) -> Outcome {
    Library::of(call.driver, library.0)?;
    Err(CUresult::NOT_FOUND)
}

pub(crate) fn cuLibraryGetKernelCount(call: Ready, count: Out<c_uint>, library: Handle) -> Outcome {
    let names = Library::of(call.driver, library.0)?.kernel_names()?;
    count.set(c_uint::try_from(names.len()).unwrap_or(c_uint::MAX));
    Ok(())
}

/// # Safety
///
/// `kernels` must be null or have room for `most` handles.
pub(crate) unsafe fn cuLibraryEnumerateKernels(
    call: Ready,
    kernels: *mut CUkernel,
    most: c_uint,
    library: Handle,
) -> Outcome {
    if kernels.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let names = Library::of(call.driver, library.0)?.kernel_names()?;
    for (at, name) in names.iter().take(most as usize).enumerate() {
        let handle = Kernel::find(call.driver, library.0, name)?;
        // SAFETY: not null and below the room.
        unsafe { kernels.wrapping_add(at).write(CUkernel(std::ptr::without_provenance_mut(handle))) };
    }
    Ok(())
}

pub(crate) fn cuKernelGetFunction(call: Current, function: HandleOut, kernel: Handle) -> Outcome {
    function.set(Kernel::of(call.driver, kernel.0)?.function(call.driver, &call.context)?.handle);
    Ok(())
}

pub(crate) fn cuKernelGetLibrary(call: Ready, library: HandleOut, kernel: Handle) -> Outcome {
    library.set(Kernel::of(call.driver, kernel.0)?.library);
    Ok(())
}

/// The name lives as long as its library.
pub(crate) fn cuKernelGetName(call: Ready, name: Out<*const c_char>, kernel: Handle) -> Outcome {
    // The name of the first device's, which is there as long as the kernel.
    name.set(Kernel::of(call.driver, kernel.0)?.traits(0).name().as_ptr());
    Ok(())
}

pub(crate) fn cuKernelGetParamInfo(
    call: Ready,
    kernel: Handle,
    index: Size,
    offset: Out<usize>,
    size: MaybeOut<usize>,
) -> Outcome {
    let (place, bytes) = Kernel::of(call.driver, kernel.0)?.traits(0).parameter(index.0)?;
    offset.set(place);
    size.set(bytes);
    Ok(())
}

pub(crate) fn cuKernelGetAttribute(
    call: Ready,
    value: Out<c_int>,
    attribute: CUfunction_attribute,
    kernel: Handle,
    device: CUdevice,
) -> Outcome {
    let device = call.driver.device(device)?.ordinal;
    value.set(Kernel::of(call.driver, kernel.0)?.traits(device).attribute(attribute)?);
    Ok(())
}

pub(crate) fn cuKernelSetAttribute(
    call: Ready,
    attribute: CUfunction_attribute,
    value: c_int,
    kernel: Handle,
    device: CUdevice,
) -> Outcome {
    let device = call.driver.device(device)?.ordinal;
    Kernel::of(call.driver, kernel.0)?.traits(device).set_attribute(attribute, value)
}

/// A preference without effect.
pub(crate) fn cuKernelSetCacheConfig(
    call: Ready,
    kernel: Handle,
    _config: CUfunc_cache,
    device: CUdevice,
) -> Outcome {
    call.driver.device(device)?;
    Kernel::of(call.driver, kernel.0).map(drop)
}
