//! Reading the environment.

use contract::env;
use core::ffi::{CStr, c_char};
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

unsafe extern "C" {
    /// `environ(7)`.
    static environ: *const *const c_char;
    /// `secure_getenv(3)`, glibc 2.17.
    fn secure_getenv(name: *const c_char) -> *const c_char;
}

/// A variable of the environment, unless this process has privileges its caller has not (setuid, capabilities): then
/// the caller must not be able to lift its limit.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    let name = CString::new(name).ok()?;
    // SAFETY: `name` is NUL-terminated.
    let value = unsafe { secure_getenv(name.as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: the C library's strings are NUL-terminated; copied before anyone can change it.
    let value = unsafe { CStr::from_ptr(value) };
    Some(OsString::from_vec(value.to_bytes().to_vec()))
}

/// The variables whose names are this library's, as they were at one moment.
///
/// There are two names for each of 64 GPUs, and to ask the C library for each would go through the whole environment as
/// often.
pub(super) struct Variables(Vec<(OsString, OsString)>);

impl Variables {
    /// Those of this process; none if it has privileges that its caller has not (setuid, capabilities): then the caller
    /// must not be able to lift its limit.
    pub(super) fn of_process() -> Self {
        // SAFETY: `getauxval` has no preconditions.
        if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
            return Self(Vec::new());
        }
        let mut ours = Vec::new();
        // SAFETY: null, or an array that ends with null, as for `getenv(3)`: no thread may change it meanwhile.
        let mut next = unsafe { environ };
        // SAFETY: within the array.
        while let Some(&entry) = unsafe { next.as_ref() }.filter(|entry| !entry.is_null()) {
            // SAFETY: its entries are NUL-terminated; what is ours is copied.
            let entry = unsafe { CStr::from_ptr(entry) };
            ours.extend(split(entry.to_bytes()).filter(|(name, _)| is_ours(name)).map(owned));
            next = next.wrapping_add(1);
        }
        Self(ours)
    }

    /// The value of the variable `name`; the first, where a broken environment has several.
    pub(super) fn get(&self, name: &str) -> Option<OsString> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }
}

fn split(entry: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, value) = entry.split_at(entry.iter().position(|&byte| byte == b'=')?);
    Some((name, value.get(1..)?))
}

fn is_ours(name: &[u8]) -> bool {
    env::NAMES.iter().any(|ours| name.starts_with(ours.as_bytes()))
}

fn owned((name, value): (&[u8], &[u8])) -> (OsString, OsString) {
    (OsStr::from_bytes(name).to_owned(), OsStr::from_bytes(value).to_owned())
}
