//! What glibc kept beside the C library until 2.34: threads in libpthread, and the functions of the loader in libdl.
//!
//! A library that says that it needs those has them loaded into every process of a container, where few programs need them
//! by now; that takes as long as all else that we cost a program without CUDA. So what this library, and whatever is linked
//! into it, calls of them is a function here, which nobody outside sees. It goes on to what the loader would have bound,
//! looked for at the first call. By then there is a driver, which needs all of them itself.

use super::elf::{find_object, gnu_hash};
use core::ffi::CStr;
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Any of them: their arguments are up to four words.
type Function = unsafe extern "C" fn(usize, usize, usize, usize) -> usize;

/// `EAGAIN`, the answer where there are no threads.
const AGAIN: usize = 11;
/// Null, or nothing found: the answer where there is no loader to ask.
const NOTHING: usize = 0;

#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    () => {
        "jmp {function}"
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! jump {
    () => {
        "b {function}"
    };
}

/// One function a row, of the name that callers are linked to, and what it answers where there is none.
macro_rules! late {
    ($($name:ident else $otherwise:ident;)*) => {
        $(mod $name {
            use super::*;

            static REAL: AtomicUsize = AtomicUsize::new(0);

            unsafe extern "C" fn function(a: usize, b: usize, c: usize, d: usize) -> usize {
                const NAME: &[u8] = concat!(stringify!($name), "\0").as_bytes();
                let Some(real) = real(&REAL, NAME) else { return $otherwise };
                // SAFETY: the caller's own arguments; to what it has none for, nobody listens.
                unsafe { real(a, b, c, d) }
            }

            // Rust cannot say of a function that it is for the linker to see, and for nobody after that.
            core::arch::global_asm!(
                concat!(".globl ", stringify!($name)),
                concat!(".hidden ", stringify!($name)),
                concat!(".type ", stringify!($name), ", %function"),
                concat!(stringify!($name), ":"),
                jump!(),
                function = sym function,
            );
        })*
    };
}

late! {
    dladdr else NOTHING;
    dlerror else NOTHING;
    dlinfo else AGAIN;
    dlopen else NOTHING;
    pthread_attr_setstacksize else AGAIN;
    pthread_create else AGAIN;
    pthread_detach else AGAIN;
    pthread_key_create else AGAIN;
    pthread_key_delete else AGAIN;
    pthread_rwlock_rdlock else AGAIN;
    pthread_rwlock_unlock else AGAIN;
    pthread_rwlock_wrlock else AGAIN;
    pthread_setname_np else AGAIN;
    pthread_setspecific else AGAIN;
    pthread_sigmask else AGAIN;
}

/// The function `name`, which `known` holds the address of once it has been found. Racing callers find the same.
fn real(known: &AtomicUsize, name: &'static [u8]) -> Option<Function> {
    let address = match known.load(Relaxed) {
        0 => find(CStr::from_bytes_with_nul(name).ok()?)?,
        address => address,
    };
    known.store(address, Relaxed);
    // SAFETY: a function of the C library, or of an interposer in front of it, called as its callers declare it.
    Some(unsafe { core::mem::transmute::<usize, Function>(address) })
}

/// The first function `name` in the order in which objects were loaded. It is that in which the loader binds, but for objects
/// that were opened later, of which these functions are the same.
fn find(name: &CStr) -> Option<usize> {
    let hash = gnu_hash(name.to_bytes());
    find_object(|object| {
        let symbols = object.symbols();
        let found = symbols.and_then(|symbols| symbols.function(symbols.find(name, hash)?));
        found.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    })
}
