//! One interposed library: its entry points, the real addresses behind them, and our hooks.

use super::{elf, loader};
use core::ffi::{CStr, c_void};
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicPtr, Ordering::Acquire, Ordering::Release};

/// An entry point of an interposed library.
pub(crate) struct Entry {
    pub(super) name: &'static CStr,
    pub(super) hook: Option<Hook>,
    pub(super) real: AtomicPtr<c_void>,
}

/// The address of an exported hook.
#[derive(Clone, Copy)]
pub(super) struct Hook(pub(super) *const c_void);

// SAFETY: the address of a function; it is compared and handed out, never read through.
unsafe impl Sync for Hook {}

/// An interposed library and what is known of the copy the application loaded.
pub(crate) struct Library {
    /// The name to load it by.
    pub(super) soname: &'static CStr,
    /// What its file name starts with, wherever it lies.
    pub(super) prefix: &'static str,
    /// Its hooked entry points.
    pub(super) hooked: &'static [&'static Entry],
    /// The loader's handle once the library was seen; null before. Never closed.
    pub(super) handle: AtomicPtr<c_void>,
}

impl Library {
    /// The hooked entry point `name`.
    pub(super) fn find(&self, name: &CStr) -> Option<(&'static Entry, *mut c_void)> {
        self.hooked.iter().copied().find_map(|entry| {
            entry.hook.filter(|_| entry.name == name).map(|hook| (entry, hook.0.cast_mut()))
        })
    }

    /// Our hook for the real function at `address`, if there is one.
    pub(crate) fn hook_of(&self, address: *mut c_void) -> Option<*mut c_void> {
        self.hooked.iter().copied().find_map(|entry| {
            entry.hook.filter(|_| entry.real.load(Acquire) == address).map(|hook| hook.0.cast_mut())
        })
    }

    /// The address of the real function behind `entry`; null while nobody has loaded one or the library lacks it.
    #[inline]
    pub(crate) fn real(&self, entry: &Entry) -> *mut c_void {
        let known = entry.real.load(Acquire);
        if known.is_null() { self.resolve(entry) } else { known }
    }

    #[cold]
    fn resolve(&self, entry: &Entry) -> *mut c_void {
        let handle = self.handle();
        if handle.is_null() {
            // A library of another name may have this one's functions, as stubs do that load it at their first call.
            return loader::dlsym(libc::RTLD_NEXT, entry.name);
        }
        let address = loader::dlsym(handle, entry.name);
        entry.real.store(address, Release);
        address
    }

    /// Whether `address`, the loader's answer for `entry`, is this library's own function.
    pub(super) fn owns(&self, entry: &Entry, address: *mut c_void) -> bool {
        if self.handle.load(Acquire).is_null() {
            self.attach_object_at(address);
        }
        self.is_loaded() && self.real(entry) == address
    }

    /// Whether the application has loaded the library and that has the entry point.
    pub(super) fn has(&self, entry: &Entry) -> bool {
        self.is_loaded() && !self.real(entry).is_null()
    }

    /// Whether the application has loaded the library.
    fn is_loaded(&self) -> bool {
        !self.handle().is_null()
    }

    /// Loads the library if the application has not. For our own use of NVML.
    pub(crate) fn load(&self) -> bool {
        if self.is_loaded() {
            return true;
        }
        self.attach(loader::load(self.soname));
        self.is_loaded()
    }

    fn handle(&self) -> *mut c_void {
        let handle = self.handle.load(Acquire);
        if !handle.is_null() {
            return handle;
        }
        self.attach(loader::pin(self.soname));
        self.handle.load(Acquire)
    }

    /// Attaches to the object that holds `address`, if it is called like this library.
    fn attach_object_at(&self, address: *mut c_void) {
        let path = elf::find_object(|object| match object.contains(address as usize) {
            true => ControlFlow::Break(object.is_named(self.prefix).then(|| object.path().as_ptr())),
            false => ControlFlow::Continue(()),
        });
        if let Some(path) = path.flatten() {
            // Only now: the loader holds a lock while it shows its objects, and `dlopen` wants another one first.
            // SAFETY: the loader keeps the name as long as the object is loaded, which the application's own handle,
            // through which it has just found `address`, sees to.
            self.attach(loader::pin(unsafe { CStr::from_ptr(path) }));
        }
    }

    /// Remembers the handle and resolves every hooked entry, so that `cuGetProcAddress` answers can be recognised.
    /// Racing callers store the same values.
    fn attach(&self, handle: *mut c_void) {
        if handle.is_null() {
            return;
        }
        for entry in self.hooked {
            entry.real.store(loader::dlsym(handle, entry.name), Release);
        }
        loader::forget_error();
        self.handle.store(handle, Release);
    }
}
