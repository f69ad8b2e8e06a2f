//! The library under test.

use std::path::Path;

use cuda_sys::{nvmlDevice_t, nvmlReturn_t};
use libloading::os::unix::Library;

/// A loaded libnvidia-ml.
pub(crate) struct Nvml(Library);

impl Nvml {
    /// Loads the library of this path.
    pub(crate) fn load(path: &Path) -> Self {
        // SAFETY: the constructor of the simulated library stores a reference and nothing else.
        let library = unsafe { Library::new(path) };
        Self(library.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    }

    /// The function of this name. `_like` gives its type: the entry point of the same name in the library crate,
    /// whose signature is the table's.
    pub(crate) fn function<F: Copy>(&self, name: &str, _like: F) -> F {
        // SAFETY: the type is the table's, which is checked against the vendor's headers.
        let symbol = unsafe { self.0.get::<F>(name) };
        *symbol.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The function of this name, which takes what this library never looks at.
    pub(crate) fn unknown(&self, name: &str) -> extern "C" fn([usize; 0]) -> nvmlReturn_t {
        // SAFETY: only called for functions that answer without looking at arguments.
        *unsafe { self.0.get(name) }.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The handle of the device of this index.
    pub(crate) fn device(&self, index: u32) -> nvmlDevice_t {
        let mut device = nvmlDevice_t(std::ptr::null_mut());
        assert_eq!(call!(self, nvmlDeviceGetHandleByIndex_v2(index, &raw mut device)), nvmlReturn_t::SUCCESS);
        device
    }
}

/// `call!(nvml, nvmlFunction(arguments))`: calls the function of the library under test with the table's types.
macro_rules! call {
    (@type $argument:expr) => { _ };
    ($nvml:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let like: unsafe extern "C" fn($(call!(@type $argument)),*) -> _ = sim_nvml::entry::$name;
        let function = $nvml.function(stringify!($name), like);
        // SAFETY: tests pass null or places that live as long as the call.
        unsafe { function($($argument),*) }
    }};
}
pub(crate) use call;
