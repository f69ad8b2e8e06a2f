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
}

/// Where a broken environment has a name more than once, the first counts.
impl env::Variables for Variables {
    fn get(&self, name: &str) -> Option<OsString> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    fn of_single_gpus(&self, name: &str) -> Vec<(usize, OsString)> {
        let index = |variable: &OsString| env::index_of(variable.to_str()?, name);
        let mut values: Vec<_> =
            self.0.iter().filter_map(|(variable, value)| Some((index(variable)?, value.clone()))).collect();
        // Stable, so that the first of a name stays the first.
        values.sort_by_key(|(index, _)| *index);
        values.dedup_by_key(|(index, _)| *index);
        values
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

#[cfg(test)]
mod tests {
    use super::*;
    use contract::env::Variables as _;

    #[test]
    fn single_gpus_come_by_index_and_the_first_of_a_name_counts() {
        let variables = [("NAME_7", "a"), ("NAME", "b"), ("NAME_2", "c"), ("NAME_7", "d"), ("NAME_02", "e")];
        let variables = Variables(variables.map(|(name, value)| (name.into(), value.into())).to_vec());
        assert_eq!(variables.of_single_gpus("NAME"), [(2, "c".into()), (7, "a".into())]);
        assert_eq!(variables.get("NAME_7"), Some("a".into()));
    }
}
