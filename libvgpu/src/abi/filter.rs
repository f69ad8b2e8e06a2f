//! What `dlsym` and `dlvsym` answer for names that might be ours.
//!
//! The rule: the real function answers, and nothing is handed out that the driver does not have. Where the driver's own
//! symbol table [leads to the hooks](super::redirected), that is all. Otherwise a hook replaces the answer, but only
//! when that is the interposed library's own function of exactly that name, so a shim library with names of its own
//! that start with `cu`, or an older driver, keep what they have.

use super::dlsym::{dlsym, dlvsym};
use super::elf::gnu_hash;
use super::library::{Entry, Library};
use super::{exports, gaps, libraries, loader, without_relocations};
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
    if without_relocations() {
        return FORWARD;
    }
    let is_next = handle == libc::RTLD_NEXT;
    // Whoever asks for the next one is an interposer itself and must not be sent back to the first.
    if name == c"dlsym" && !is_next {
        return replace_loader_function(real(handle), loader::resolve_dlsym(), dlsym as *const c_void);
    }
    if name == c"dlvsym" && !is_next {
        return replace_loader_function(real(handle), loader::resolve_dlvsym(), dlvsym as *const c_void);
    }
    let hash = gnu_hash(name.to_bytes());
    let hooked = libraries().into_iter().find_map(|library| Some((library, library.find(name, hash)?)));
    let Some((library, (entry, hook))) = hooked else {
        note_unknown(handle, name, hash, real);
        return FORWARD;
    };
    // From here on the driver's table leads to the hooks, if it is loaded and can be made to.
    library.is_loaded();
    // A search of the driver alone meets nothing of ours but what its table leads to.
    if library.leads_to_hooks(handle) {
        return FORWARD;
    }
    let only_the_driver_s = exports::hide();
    match is_next {
        true => FORWARD,
        false => replace_entry(library, entry, hook, handle, only_the_driver_s, &real),
    }
}

/// Keeps a program that looks `dlsym` up in the C library from walking around us.
fn replace_loader_function(native: *mut c_void, real: usize, ours: *const c_void) -> Verdict {
    if native as usize == real { answer(ours.cast_mut()) } else { FORWARD }
}

fn replace_entry(
    library: &'static Library,
    entry: &'static Entry,
    hook: *mut c_void,
    handle: *mut c_void,
    only_the_driver_s: bool,
    real: &impl Fn(*mut c_void) -> *mut c_void,
) -> Verdict {
    let native = real(handle);
    if native.is_null() || (native == hook && only_the_driver_s) {
        return FORWARD;
    }
    if native == hook {
        return behind_our_export(library, entry, handle, real);
    }
    if library.owns(entry, native) { answer(hook) } else { FORWARD }
}

/// A lookup in a scope without one library's handle may have found our own export. Without us it would have found the
/// next.
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

/// Counts what a newer driver has that we do not know.
fn note_unknown(handle: *mut c_void, name: &CStr, hash: u32, real: impl Fn(*mut c_void) -> *mut c_void) {
    let [driver, _] = libraries();
    if gaps::looks_limited(name.to_bytes()) && driver.is_loaded() && driver.holds(real(handle)) {
        gaps::note_if_unknown(driver, name, hash);
    }
}
