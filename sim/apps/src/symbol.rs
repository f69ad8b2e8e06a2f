//! Finding the driver's functions by name, once each.

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A library of the driver, opened at its first use and never closed.
pub(crate) struct Library {
    name: &'static CStr,
    /// The loader's handle, as a number; `None` where there is no such library.
    handle: OnceLock<Option<usize>>,
}

/// The driver API.
pub(crate) static CUDA: Library = Library::new(c"libcuda.so.1");
/// The management library.
pub(crate) static NVML: Library = Library::new(c"libnvidia-ml.so.1");

impl Library {
    const fn new(name: &'static CStr) -> Self {
        Self { name, handle: OnceLock::new() }
    }

    fn handle(&self) -> Option<*mut c_void> {
        let open = || {
            // SAFETY: loading the driver runs its initialisers, as in every program that uses it.
            let library = unsafe { libc::dlopen(self.name.as_ptr(), libc::RTLD_NOW) };
            (!library.is_null()).then(|| library.expose_provenance())
        };
        self.handle.get_or_init(open).map(std::ptr::with_exposed_provenance_mut)
    }

    /// Where the function `name` is; null when the library or the function is missing.
    pub(crate) fn look_up(&self, name: &CStr) -> *mut c_void {
        let Some(library) = self.handle() else { return std::ptr::null_mut() };
        // SAFETY: the handle is open for the life of the process and the name is a C string.
        unsafe { libc::dlsym(library, name.as_ptr()) }
    }
}

/// A function of a library, looked up at its first use.
pub(crate) struct Symbol {
    library: &'static Library,
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Symbol {
    /// # Panics
    /// When `name` is not terminated by its only NUL; at compile time, in a static.
    pub(crate) const fn new(library: &'static Library, name: &'static str) -> Self {
        match CStr::from_bytes_with_nul(name.as_bytes()) {
            Ok(name) => Self { library, name, address: AtomicPtr::new(std::ptr::null_mut()) },
            Err(_) => panic!("a name ends with its only NUL"),
        }
    }

    /// Where the function is; null when there is no driver, or none so new.
    pub(crate) fn address(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        let found = self.library.look_up(self.name);
        self.address.store(found, Ordering::Relaxed);
        found
    }
}
