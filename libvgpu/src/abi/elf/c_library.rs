//! The C library's own functions, whoever has put others in front of them, and found without calling any.
//!
//! A sanitizer puts functions of its own in front of many, `dl_iterate_phdr` among them, which work only once it has
//! started; and to start, it looks names up with `dlsym`, which is ours. So what it takes to find the real `dlsym` must pass
//! none of them by. The loader's list of objects, which it keeps for debuggers, is read as it lies in memory: what is there
//! from the start stays where it is, and the C library is.

use super::dynamic::Dynamic;
use super::symbols::{Symbols, gnu_hash};
use super::{LinkMap, name_starts_with};
use core::ffi::{CStr, c_int};

/// The public part of the loader's account of itself, `struct r_debug`.
#[repr(C)]
struct Debug {
    version: c_int,
    first: *const LinkMap,
}

unsafe extern "C" {
    /// Of ld.so; since glibc 2.2.5.
    static _r_debug: Debug;
}

/// glibc before 2.34 keeps the `dl` functions in libdl, later ones in libc, musl in its loader.
const HOMES: [&str; 5] = ["libc.so", "libdl.so", "ld-musl", "libc-", "libdl-"];

/// The address of the function `name` in the C library.
pub(in crate::abi) fn function(name: &CStr) -> Option<usize> {
    // SAFETY: the loader has filled it before any code but its own has run.
    let mut next = unsafe { _r_debug.first };
    // SAFETY: null, or one of the objects that are there from the start, up to the C library, which is one of them.
    while let Some(object) = unsafe { next.as_ref() } {
        if let Some(address) = is_home(object).then(|| defined(object, name)).flatten() {
            return Some(address);
        }
        next = object.next;
    }
    None
}

fn is_home(object: &LinkMap) -> bool {
    // SAFETY: the loader's names are NUL-terminated.
    let name = unsafe { object.name.as_ref() }.map(|name| unsafe { CStr::from_ptr(name) });
    name.is_some_and(|name| HOMES.iter().any(|home| name_starts_with(name, home)))
}

fn defined(object: &LinkMap, name: &CStr) -> Option<usize> {
    // Nobody has exchanged the C library's tables, so all that is below its own address is relative.
    const ANY: usize = usize::MAX;
    // SAFETY: the loader's record of a mapped object says where its dynamic section is.
    let dynamic = unsafe { Dynamic::new(object.dynamic, object.base, ANY) };
    // SAFETY: of this object, which stays mapped as long as the process lives.
    let symbols = unsafe { Symbols::new(&dynamic, object.base) }?;
    Some(symbols.address(symbols.find(name, gnu_hash(name.to_bytes()))?))
}
