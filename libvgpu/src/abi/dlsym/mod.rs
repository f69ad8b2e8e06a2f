//! The exported `dlsym` and `dlvsym`.
//!
//! The C library's versions look at their return address to learn who asks: `RTLD_NEXT`, `RTLD_DEFAULT` and the text of
//! `dlerror` depend on it. So ours never call the real function on behalf of the application, they jump to it, with
//! the application's return address where it was. Only assembly can promise that at every optimisation level.
//!
//! A name that does not start with `cu`, `nv` or `dl` jumps at once. Any other is put before [`filter`](super::filter),
//! whose [`Verdict`](super::filter::Verdict) comes back in two registers.

use super::filter::{filter_dlsym, filter_dlvsym};
use super::loader::{DLSYM, DLVSYM, resolve_dlsym, resolve_dlvsym};
use core::ffi::{c_char, c_void};

#[cfg(target_arch = "x86_64")]
macro_rules! trampoline {
    ($($symbols:tt)*) => { core::arch::naked_asm!(include_str!("x86_64.s"), $($symbols)*) };
}

#[cfg(target_arch = "aarch64")]
macro_rules! trampoline {
    ($($symbols:tt)*) => { core::arch::naked_asm!(include_str!("aarch64.s"), $($symbols)*) };
}

/// `dlsym(3)`, with the hooks of this library in place of the driver's functions.
///
/// # Safety
/// As `dlsym(3)`.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    trampoline!(filter = sym filter_dlsym, real = sym DLSYM, resolve = sym resolve_dlsym)
}

/// `dlvsym(3)`, with the hooks of this library in place of the driver's functions.
///
/// # Safety
/// As `dlvsym(3)`.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn dlvsym(
    handle: *mut c_void,
    name: *const c_char,
    version: *const c_char,
) -> *mut c_void {
    trampoline!(filter = sym filter_dlvsym, real = sym DLVSYM, resolve = sym resolve_dlvsym)
}
