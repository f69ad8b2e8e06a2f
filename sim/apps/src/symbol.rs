//! Finding the driver's functions by name, once each.

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function of `libcuda.so.1`, looked up at its first use.
pub(crate) struct Symbol {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Symbol {
    /// # Panics
    /// When `name` is not terminated by its only NUL; at compile time, in a static.
    pub(crate) const fn new(name: &'static str) -> Self {
        match CStr::from_bytes_with_nul(name.as_bytes()) {
            Ok(name) => Self { name, address: AtomicPtr::new(std::ptr::null_mut()) },
            Err(_) => panic!("a name ends with its only NUL"),
        }
    }

    /// Where the function is; null when there is no driver, or none so new.
    pub(crate) fn address(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        let Some(library) = library() else { return std::ptr::null_mut() };
        // SAFETY: the handle is open for the life of the process and the name is a C string.
        let found = unsafe { libc::dlsym(library, self.name.as_ptr()) };
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

/// The driver's library, opened once and never closed.
fn library() -> Option<*mut c_void> {
    static LIBRARY: OnceLock<Option<usize>> = OnceLock::new();
    let opened = LIBRARY.get_or_init(|| {
        // SAFETY: loading the driver runs its initialisers, as in every CUDA program.
        let library = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW) };
        (!library.is_null()).then(|| library.expose_provenance())
    });
    opened.map(std::ptr::with_exposed_provenance_mut)
}
