//! Modules: an image in a context.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use cuda_sys::CUresult;
use sim_kernel::ContextId;

use super::{BadImage, Function, Image, Traits};
use crate::context::{Context, Life};
use crate::handles::lock;
use crate::memory;
use crate::outcome::Outcome;
use crate::process::Driver;

/// A loaded module.
#[derive(Debug)]
pub(crate) struct Module {
    /// The life of its context that it belongs to.
    pub(crate) context: ContextId,
    life: Life,
    image: Arc<Image>,
    /// The address of its code, once that is loaded.
    code: Mutex<Option<u64>>,
    /// Addresses of the variables that were asked for, by name.
    variables: Mutex<HashMap<String, u64>>,
}

/// The image that a caller gave; a mistake in a text that describes simulated kernels is named on stderr.
pub(crate) fn accept(image: Result<Image, BadImage>) -> Outcome<Arc<Image>> {
    image.map(Arc::new).map_err(|bad| {
        if let Some(mistake) = bad.mistake {
            eprintln!("vgpu-sim: {mistake}");
        }
        bad.code
    })
}

/// Loads a module and gives its handle. Its code may come with its first use.
pub(crate) fn load(driver: &Driver, context: &Context, image: Arc<Image>) -> Outcome<usize> {
    let life = context.life()?;
    if image.needs_heap {
        context.make_heap(driver)?;
    }
    let code = Mutex::default();
    let module = Module { context: life.id, life, image, code, variables: Mutex::default() };
    if !driver.loads_lazily {
        module.load_code(driver)?;
    }
    Ok(driver.modules.insert(module))
}

impl Module {
    /// Loads its code, if that has not been done.
    fn load_code(&self, driver: &Driver) -> Outcome {
        let mut code = lock(&self.code);
        let bytes = self.image.code_bytes();
        if code.is_none() && bytes > 0 {
            *code = Some(memory::place_code(driver, self.life, bytes)?);
        }
        Ok(())
    }
}

/// Unloads a module with its kernels and variables.
pub(crate) fn unload(driver: &Driver, handle: usize) -> Outcome {
    let module = driver.modules.remove(handle).ok_or(CUresult::INVALID_HANDLE)?;
    driver.functions.retain(|function| function.module != handle);
    let (code, variables) = (*lock(&module.code), lock(&module.variables));
    variables.values().chain(&code).try_for_each(|address| memory::free_code(driver, *address))
}

/// The kernel of a name: the same handle each time; 500 when the module has none of it.
pub(crate) fn function(driver: &Driver, module: usize, name: &str) -> Outcome<usize> {
    let found = driver.modules.get(module).ok_or(CUresult::INVALID_HANDLE)?;
    let kernel = found.image.kernel(name).ok_or(CUresult::NOT_FOUND)?;
    Ok(function_with(driver, module, name, || Traits::new(kernel))?.handle)
}

/// The kernel of a name, which is there, with what `traits` says if it is new.
pub(super) fn function_with(
    driver: &Driver,
    module: usize,
    name: &str,
    traits: impl FnOnce() -> Arc<Traits>,
) -> Outcome<Arc<Function>> {
    let found = driver.modules.get(module).ok_or(CUresult::INVALID_HANDLE)?;
    found.load_code(driver)?;
    let is_it = |function: &Function| function.module == module && function.traits.kernel.name == name;
    if let Some(known) = driver.functions.find(is_it) {
        return Ok(known);
    }
    Ok(driver.functions.insert_with(|handle| Function::new(handle, module, found.context, traits())))
}

/// The names of a module's kernels, in order; 801 when not all of them are known.
pub(crate) fn kernel_names(driver: &Driver, module: usize) -> Outcome<Vec<String>> {
    driver.modules.get(module).ok_or(CUresult::INVALID_HANDLE)?.image.names()
}

/// Address and size of a variable, which has memory once it was asked for; 500 when the module has none of that name.
pub(crate) fn variable(driver: &Driver, module: usize, name: &str) -> Outcome<(u64, usize)> {
    let module = driver.modules.get(module).ok_or(CUresult::INVALID_HANDLE)?;
    let variable = module.image.variable(name).ok_or(CUresult::NOT_FOUND)?;
    let mut known = lock(&module.variables);
    if let Some(address) = known.get(name) {
        return Ok((*address, variable.bytes));
    }
    let address = memory::allocate_code(driver, module.life, variable.bytes, &variable.contents)?;
    known.insert(name.to_owned(), address);
    Ok((address, variable.bytes))
}
