//! How calls reach us and how we reach the driver: exports, real pointers, `dlsym`, `cuGetProcAddress`.
//!
//! There are two layers. Our exports stand in front of the driver's, among them a `dlsym` that answers with hooks. And once
//! the driver is loaded, its own symbol table leads to the hooks, so that those who pass our exports by arrive all the
//! same. Where the second cannot be had, the first remains.
//!
//! Nothing here knows about limits.

mod arrival;
mod dlsym;
pub(crate) mod driver;
mod elf;
mod exports;
mod filter;
pub(crate) mod gaps;
mod interpose;
mod late;
pub(crate) mod library;
mod loaded;
mod loader;
pub(crate) mod nvml;
mod redirected;

use core::sync::atomic::AtomicPtr;
use library::Library;

/// The interposed libraries, the driver first.
fn libraries() -> [&'static Library; 2] {
    [&driver::LIBRARY, &nvml::LIBRARY]
}

/// Whether this library's own data is yet to be relocated, which is so when a library behind us chooses a function while
/// it is relocated itself: then no name can be compared, nothing is hooked, and no driver can have been called.
fn without_relocations() -> bool {
    static TARGET: u8 = 0;
    static POINTER: AtomicPtr<u8> = AtomicPtr::new((&raw const TARGET).cast_mut());
    // SAFETY: nobody writes to it but the loader. The compiler, which knows the former, must not conclude what it holds.
    unsafe { core::ptr::read_volatile(POINTER.as_ptr()) }.is_null()
}
