//! Noticing that the driver has been loaded, whoever loaded it.
//!
//! A library that is opened with `RTLD_DEEPBIND` calls the C library's own `dlopen` and `dlsym`, and an interposer in front
//! of us has versions of its own: neither passes by our exports. But almost every library that a C compiler has linked,
//! NVIDIA's among them, begins its initialisation with a call of `__gmon_start__` if there is such a function, which is
//! how a profiler learns that code was added. Nobody defines it but programs that are built for `gprof`, and theirs
//! comes before ours. So we are called when all of a library's references are bound and none of its code has run, at
//! load and in `dlopen`, and before whoever loads it can look anything up.
//!
//! It costs a look at the list of loaded objects, a library.

use super::{elf, libraries, without_relocations};

#[cfg(target_arch = "x86_64")]
macro_rules! trampoline {
    ($($symbols:tt)*) => { core::arch::naked_asm!(include_str!("x86_64.s"), $($symbols)*) };
}

#[cfg(target_arch = "aarch64")]
macro_rules! trampoline {
    ($($symbols:tt)*) => { core::arch::naked_asm!(include_str!("aarch64.s"), $($symbols)*) };
}

/// Called by a library that starts; its return address tells which.
///
/// # Safety
/// Must be called, not jumped to from another object.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __gmon_start__() {
    trampoline!(arrived = sym arrived)
}

/// The object that holds `caller` has been loaded.
unsafe extern "C" fn arrived(caller: usize) {
    if without_relocations() {
        return;
    }
    // SAFETY: the object is in its initialisation, and that has not ended while it waits for us.
    if let Some(object) = unsafe { elf::object_at(caller) } {
        libraries().iter().for_each(|library| library.meet(object));
    }
}
