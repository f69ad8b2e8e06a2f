//! Where the program of the simulated kernel lies: beside the library, in the layout of the stage.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// `bin/vgpu-sim-kernel` of the tree that this library is `sim/<branch>/libnvidia-ml.so.1` of, if it is there.
pub(crate) fn beside_the_library() -> Option<PathBuf> {
    let program = own_file()?.parent()?.join("../../bin/vgpu-sim-kernel");
    program.is_file().then_some(program)
}

fn own_file() -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let here: *const () = own_file as fn() -> Option<PathBuf> as *const ();
    // SAFETY: `dladdr` reads nothing at the address and `info` is valid for writes.
    let found = unsafe { libc::dladdr(here.cast(), &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: `dladdr` succeeded, so this is the loader's name of the object that this very code is in, which stays
    // while the code does.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Path::new(OsStr::from_bytes(name.to_bytes())).canonicalize().ok()
}
