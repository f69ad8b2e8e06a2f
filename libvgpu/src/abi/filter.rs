//! What `dlsym` and `dlvsym` answer for names that might be ours.
//!
//! The rule: ask the real function first; nothing is handed out that the driver does not have. A hook replaces its
//! answer only when that answer is the interposed library's own function of exactly that name, so a shim library
//! with names of its own that start with `cu`, a second copy of the driver, or an older driver all keep what they have.

use super::dlsym::{dlsym, dlvsym};
use super::library::{Entry, Library};
use super::{driver, loader, nvml};
use core::ffi::{CStr, c_char, c_void};
use core::ptr::null_mut;

/// The trampoline's instruction, returned in two registers.
#[repr(C)]
pub(super) struct Verdict {
    /// Not 0: jump to the real function with the application's arguments.
    forward: usize,
    /// With `forward` 0: what to return.
    answer: *mut c_void,
}

const FORWARD: Verdict = Verdict { forward: 1, answer: null_mut() };

const fn answer(address: *mut c_void) -> Verdict {
    Verdict { forward: 0, answer: address }
}

/// # Safety
/// `name` must be a NUL-terminated string; the trampoline has seen that it is not null.
pub(super) unsafe extern "C" fn filter_dlsym(handle: *mut c_void, name: *const c_char) -> Verdict {
    // SAFETY: promised by the caller.
    let name = unsafe { CStr::from_ptr(name) };
    decide(handle, name, |handle| loader::dlsym(handle, name))
}

/// # Safety
/// `name` and `version` must be NUL-terminated strings; the trampoline has seen that `name` is not null.
pub(super) unsafe extern "C" fn filter_dlvsym(
    handle: *mut c_void,
    name: *const c_char,
    version: *const c_char,
) -> Verdict {
    // SAFETY: promised by the caller.
    let name = unsafe { CStr::from_ptr(name) };
    decide(handle, name, |handle| loader::dlvsym(handle, name, version))
}

fn decide(handle: *mut c_void, name: &CStr, real: impl Fn(*mut c_void) -> *mut c_void) -> Verdict {
    // Whoever asks for the next one is an interposer itself and must not be sent back to the first.
    if handle == libc::RTLD_NEXT {
        return FORWARD;
    }
    if name == c"dlsym" {
        return replace_loader_function(real(handle), loader::resolve_dlsym(), dlsym as *const c_void);
    }
    if name == c"dlvsym" {
        return replace_loader_function(real(handle), loader::resolve_dlvsym(), dlvsym as *const c_void);
    }
    [&driver::LIBRARY, &nvml::LIBRARY]
        .into_iter()
        .find_map(|library| replace_entry(library, handle, name, &real))
        .unwrap_or(FORWARD)
}

/// Keeps a program that looks `dlsym` up in the C library from walking around us.
fn replace_loader_function(native: *mut c_void, real: usize, ours: *const c_void) -> Verdict {
    if native as usize == real { answer(ours.cast_mut()) } else { FORWARD }
}

fn replace_entry(
    library: &'static Library,
    handle: *mut c_void,
    name: &CStr,
    real: &impl Fn(*mut c_void) -> *mut c_void,
) -> Option<Verdict> {
    let (entry, hook) = library.find(name)?;
    let native = real(handle);
    if native.is_null() {
        return Some(FORWARD);
    }
    if native == hook {
        return Some(behind_our_export(library, entry, handle, real));
    }
    Some(if library.owns(entry, native) { answer(hook) } else { FORWARD })
}

/// A lookup in a scope without one library's handle found our own export. Without us it would have found the next.
fn behind_our_export(
    library: &'static Library,
    entry: &'static Entry,
    handle: *mut c_void,
    real: &impl Fn(*mut c_void) -> *mut c_void,
) -> Verdict {
    let next = real(libc::RTLD_NEXT);
    let ours = match next.is_null() {
        false => library.owns(entry, next),
        // Whoever asks for the default scope may have the library in a scope of its own, which is searched last.
        true => handle == libc::RTLD_DEFAULT && library.has(entry),
    };
    // The lookup that gives the answer comes last, so that its failure is what `dlerror` tells.
    if ours { FORWARD } else { answer(real(libc::RTLD_NEXT)) }
}
