//! Variables with any values.
//!
//! Promised: a limit is understood, or refused with one line that names its variable; it never becomes "no limit".

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use contract::env::{EnvLimits, INDICES, MEMORY_LIMIT, NAMES, SM_LIMIT};
use contract::{Bytes, size};

/// Reads `input` as lines: a byte that chooses the variable, another for its index, then the value.
pub fn run(input: &[u8]) {
    let mut variables: HashMap<String, OsString> = HashMap::new();
    for line in input.split(|byte| *byte == b'\n') {
        let [name, index, value @ ..] = line else { continue };
        let name = NAMES[usize::from(*name) % NAMES.len()];
        let is_single = *index < 64 && [MEMORY_LIMIT, SM_LIMIT].contains(&name);
        let name = if is_single { format!("{name}_{index}") } else { name.to_owned() };
        variables.insert(name, OsString::from_vec(value.to_vec()));
    }
    let read = EnvLimits::read(|name| variables.get(name).cloned());
    let limits = match read {
        Ok(limits) => limits,
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with(&format!("vgpu: {}=", error.name())) && !text.contains('\n'), "{text}");
            assert!(variables.contains_key(error.name()), "{text}");
            return;
        }
    };
    for index in 0..INDICES {
        let single = variables.get(&format!("{MEMORY_LIMIT}_{index}"));
        let value = single.or_else(|| variables.get(MEMORY_LIMIT));
        let expected = value.map(|value| size::parse(&value.to_string_lossy()).expect("it was understood"));
        assert_eq!(limits.memory(index), expected.filter(|bytes| *bytes != Bytes::ZERO));
        assert!(limits.cores(index).is_none_or(|share| share.get() < 100));
    }
    let _ = (limits.is_empty(), limits.needs_order(), limits.region(), limits.log_level(), limits.priority());
}
