//! Whose function an address is.

use std::ffi::{CStr, c_char};
use std::fmt;
use std::mem::MaybeUninit;

/// The object that holds an address, and the exported function that begins there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The object's file name, without its directory.
    pub object: String,
    /// The function's name; empty when none begins there.
    pub symbol: String,
}

impl Origin {
    /// Asks the loader; `None` for an address that is in no object.
    #[must_use]
    pub fn of(address: usize) -> Option<Self> {
        let mut info = MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: `info` is valid for writing; the address is only compared.
        if unsafe { libc::dladdr(std::ptr::without_provenance(address), info.as_mut_ptr()) } == 0 {
            return None;
        }
        // SAFETY: dladdr succeeded, so it filled the answer.
        let info = unsafe { info.assume_init() };
        // SAFETY: the file name of a successful answer.
        let path = unsafe { text(info.dli_fname) };
        let object = path.rsplit('/').next().unwrap_or_default().to_owned();
        // SAFETY: the name of the nearest symbol, or null.
        let nearest = unsafe { text(info.dli_sname) };
        let symbol = if info.dli_saddr.addr() == address { nearest } else { String::new() };
        Some(Self { object, symbol })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.object, self.symbol)
    }
}

/// # Safety
/// `text` must be null or a C string.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
