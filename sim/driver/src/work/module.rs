//! Modules.

use cuda_sys::CUresult;
use sim_kernel::ContextId;

use super::{Function, Image};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::process::Driver;

/// A loaded module.
#[derive(Debug)]
pub(crate) struct Module {
    /// The life of its context that it belongs to.
    pub(crate) context: ContextId,
    image: Image,
}

/// Loads a module; 200 for an image with a mistake, which is named on stderr.
pub(crate) fn load(driver: &Driver, context: &Context, image: Result<Image, String>) -> Outcome<usize> {
    let image = image.map_err(|mistake| {
        eprintln!("vgpu-sim: {mistake}");
        CUresult::INVALID_IMAGE
    })?;
    Ok(driver.modules.insert(Module { context: context.life()?.id, image }))
}

/// Unloads a module with its kernels.
pub(crate) fn unload(driver: &Driver, handle: usize) -> Outcome {
    driver.modules.remove(handle).ok_or(CUresult::INVALID_HANDLE)?;
    driver.functions.retain(|function| function.module != handle);
    Ok(())
}

/// The kernel of a name: the same handle each time; 500 when the module has none of it.
pub(crate) fn function(driver: &Driver, module: usize, name: &str) -> Outcome<usize> {
    let found = driver.modules.get(module).ok_or(CUresult::INVALID_HANDLE)?;
    let is_it = |function: &Function| function.module == module && function.kernel.name == name;
    if let Some(known) = driver.functions.find(is_it) {
        return Ok(known.handle);
    }
    let kernel = found.image.kernel(name).ok_or(CUresult::NOT_FOUND)?;
    let made = driver.functions.insert_with(|handle| Function::new(handle, module, found.context, kernel));
    Ok(made.handle)
}
