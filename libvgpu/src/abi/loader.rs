//! The C library's own `dlsym` and `dlvsym`, found without calling either: both names are ours in this process.

use super::elf::{self, LinkMap, Object, c_library};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The address of the real `dlsym`, or 0 before the first lookup. Read by the trampoline.
pub(super) static DLSYM: AtomicUsize = AtomicUsize::new(0);
/// The address of the real `dlvsym`, or 0 before the first lookup. Read by the trampoline.
pub(super) static DLVSYM: AtomicUsize = AtomicUsize::new(0);

type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type Dlvsym = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;

/// Finds the real `dlsym`. Idempotent, so racing callers do no harm.
pub(super) extern "C" fn resolve_dlsym() -> usize {
    resolve(&DLSYM, c"dlsym", no_dlsym as Dlsym as usize)
}

/// Finds the real `dlvsym`. Idempotent, so racing callers do no harm.
pub(super) extern "C" fn resolve_dlvsym() -> usize {
    resolve(&DLVSYM, c"dlvsym", no_dlvsym as Dlvsym as usize)
}

/// Calls the real `dlsym` as this library.
pub(super) fn dlsym(handle: *mut c_void, name: &CStr) -> *mut c_void {
    // SAFETY: `resolve_dlsym` answers with the address of a function of this type.
    let dlsym = unsafe { core::mem::transmute::<usize, Dlsym>(resolve_dlsym()) };
    // SAFETY: `name` is NUL-terminated; a handle that is none makes `dlsym` fail, as it would for its caller.
    unsafe { dlsym(handle, name.as_ptr()) }
}

/// Calls the real `dlvsym` as this library.
pub(super) fn dlvsym(handle: *mut c_void, name: &CStr, version: *const c_char) -> *mut c_void {
    // SAFETY: `resolve_dlvsym` answers with the address of a function of this type.
    let dlvsym = unsafe { core::mem::transmute::<usize, Dlvsym>(resolve_dlvsym()) };
    // SAFETY: as for `dlsym`; `version` is the application's own argument.
    unsafe { dlvsym(handle, name.as_ptr(), version) }
}

/// A handle of the object at `path` if it is loaded, kept for ever so that cached pointers stay valid.
pub(super) fn pin(path: &CStr) -> *mut c_void {
    // SAFETY: RTLD_NOLOAD runs no constructors and maps nothing.
    unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) }
}

/// The object behind a handle of the loader. The handle must not be closed while the answer is used.
pub(super) fn object_of(handle: *mut c_void) -> Option<Object<'static>> {
    let mut map: *const LinkMap = core::ptr::null();
    // SAFETY: the request writes one pointer.
    let result = unsafe { libc::dlinfo(handle, libc::RTLD_DI_LINKMAP, (&raw mut map).cast()) };
    if result != 0 {
        return None;
    }
    // SAFETY: the loader has just answered with its record, which lives as long as the object.
    let map = unsafe { map.as_ref() }?;
    // SAFETY: the handle keeps the object loaded.
    let object = unsafe { elf::object_at(map.dynamic) }?;
    (object.base() == map.base).then_some(object)
}

/// Loads the library `name` for our own use, without adding its symbols to anyone's scope.
pub(super) fn load(name: &CStr) -> *mut c_void {
    const LOCAL_LAZY: c_int = libc::RTLD_LAZY | libc::RTLD_LOCAL;
    // SAFETY: the only libraries loaded this way are the driver's, whose constructors are made for it.
    unsafe { libc::dlopen(name.as_ptr(), LOCAL_LAZY) }
}

/// Clears what `dlerror` would say of lookups that only we made: the application asks it whether its own succeeded.
pub(super) fn forget_error() {
    // SAFETY: the text it returns is not used.
    let _ = unsafe { libc::dlerror() };
}

fn resolve(cache: &AtomicUsize, name: &CStr, otherwise: usize) -> usize {
    match cache.load(Relaxed) {
        0 => {
            let address = c_library::function(name).unwrap_or(otherwise);
            cache.store(address, Relaxed);
            address
        }
        known => known,
    }
}

/// Stands in where the C library has no such function: nothing is ever found.
unsafe extern "C" fn no_dlsym(_: *mut c_void, _: *const c_char) -> *mut c_void {
    core::ptr::null_mut()
}

unsafe extern "C" fn no_dlvsym(_: *mut c_void, _: *const c_char, _: *const c_char) -> *mut c_void {
    core::ptr::null_mut()
}
