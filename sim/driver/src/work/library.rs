//! Libraries: images of no context, which become a module in each context that uses them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use cuda_sys::CUresult;
use sim_kernel::ContextId;

use super::module::{function_with, load};
use super::{Function, Image, KernelSpec, Traits, unload_module};
use crate::context::Context;
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::Driver;

/// A loaded library.
#[derive(Debug)]
pub(crate) struct Library {
    image: Arc<Image>,
    /// Its module in each context that used it. Those of contexts that are gone are gone themselves.
    modules: Mutex<HashMap<ContextId, usize>>,
}

/// A kernel of a library.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// What the caller calls it.
    pub(crate) handle: usize,
    /// The handle of its library.
    pub(crate) library: usize,
    spec: KernelSpec,
    /// What it is on each device that it was used on, by ordinal.
    traits: Mutex<HashMap<i32, Arc<Traits>>>,
}

impl Library {
    /// Loads a library and gives its handle. Unless code comes with its first use, it comes to every context that there is.
    pub(crate) fn load(driver: &Driver, image: Arc<Image>) -> Outcome<usize> {
        let handle = driver.libraries.insert(Self { image, modules: Mutex::default() });
        let library = Self::of(driver, handle)?;
        let contexts = if driver.loads_lazily { Vec::new() } else { driver.contexts.all() };
        let mut alive = contexts.iter().filter(|context| context.is_alive());
        match alive.try_for_each(|context| library.enter(driver, context)) {
            Ok(()) => Ok(handle),
            Err(code) => Self::unload(driver, handle).and(Err(code)),
        }
    }

    /// Comes to a context.
    pub(crate) fn enter(&self, driver: &Driver, context: &Context) -> Outcome {
        self.module(driver, context).map(drop)
    }

    /// The library of a handle.
    pub(crate) fn of(driver: &Driver, handle: usize) -> Outcome<Arc<Self>> {
        driver.libraries.get(handle).ok_or(CUresult::INVALID_HANDLE)
    }

    /// Unloads a library with its kernels and its modules.
    pub(crate) fn unload(driver: &Driver, handle: usize) -> Outcome {
        let library = driver.libraries.remove(handle).ok_or(CUresult::INVALID_HANDLE)?;
        driver.kernels.retain(|kernel| kernel.library != handle);
        for module in lock(&library.modules).values().filter(|module| driver.modules.get(**module).is_some())
        {
            unload_module(driver, *module)?;
        }
        Ok(())
    }

    /// Its module in a context, loaded when it is first asked for.
    pub(crate) fn module(&self, driver: &Driver, context: &Context) -> Outcome<usize> {
        let id = context.life()?.id;
        let mut modules = lock(&self.modules);
        if let Some(known) = modules.get(&id) {
            return Ok(*known);
        }
        let made = load(driver, context, Arc::clone(&self.image))?;
        modules.insert(id, made);
        Ok(made)
    }

    /// The names of its kernels, in order; 801 when not all of them are known.
    pub(crate) fn kernel_names(&self) -> Outcome<Vec<String>> {
        self.image.names()
    }
}

impl Kernel {
    /// The kernel of a name: the same handle each time; 500 when the library has none of it.
    pub(crate) fn find(driver: &Driver, library: usize, name: &str) -> Outcome<usize> {
        let spec = Library::of(driver, library)?.image.kernel(name).ok_or(CUresult::NOT_FOUND)?;
        let is_it = |kernel: &Self| kernel.library == library && kernel.spec.name == name;
        if let Some(known) = driver.kernels.find(is_it) {
            return Ok(known.handle);
        }
        let make = |handle| Self { handle, library, spec, traits: Mutex::default() };
        Ok(driver.kernels.insert_with(make).handle)
    }

    /// The kernel of a handle.
    pub(crate) fn of(driver: &Driver, handle: usize) -> Outcome<Arc<Self>> {
        driver.kernels.get(handle).ok_or(CUresult::INVALID_HANDLE)
    }

    /// What it is on a device.
    pub(crate) fn traits(&self, device: i32) -> Arc<Traits> {
        let mut all = lock(&self.traits);
        Arc::clone(all.entry(device).or_insert_with(|| Traits::new(self.spec.clone())))
    }

    /// The kernel in a context.
    pub(crate) fn function(&self, driver: &Driver, context: &Context) -> Outcome<Arc<Function>> {
        let module = Library::of(driver, self.library)?.module(driver, context)?;
        function_with(driver, module, &self.spec.name, || self.traits(context.device))
    }
}
