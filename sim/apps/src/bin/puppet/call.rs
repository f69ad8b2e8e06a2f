//! Calls of any entry point by its name.

use crate::argument::Argument;
use std::ffi::{CString, c_void};
use std::mem::transmute;

pub(crate) fn answer(name: &str, arguments: &str) -> Option<String> {
    if !name.starts_with("cu") && !name.starts_with("nvml") {
        return None;
    }
    let mut arguments: Vec<_> = arguments.split_whitespace().map(Argument::parse).collect::<Option<_>>()?;
    let Some(function) = sim_apps::function(&CString::new(name).ok()?) else { return Some("missing".into()) };
    let words: Vec<_> = arguments.iter_mut().map(Argument::word).collect();
    // SAFETY: a function of the driver, with pointers to places as large as the test says. A test that says too little
    // breaks this process and nothing else.
    let code = unsafe { call(function, &words) }?;
    Some(match code {
        0 => arguments.iter().fold(code.to_string(), |line, argument| line + &argument.output()),
        _ if arguments.iter().any(Argument::is_changed) => format!("{code} changed"),
        _ => code.to_string(),
    })
}

/// The most parameters of a function that is called here: as many as are passed in registers.
const PARAMETERS: usize = 6;

/// Calls `function` with `words`; `None` when they are too many.
///
/// Every parameter of the driver's functions is an integer or a pointer, and the calling conventions of 64-bit Linux pass
/// each of the first six in a register of its own. A function does not look at registers beyond its parameters.
///
/// # Safety
/// `function` must be a function of that kind, and `words` what it may be called with.
unsafe fn call(function: *mut c_void, words: &[u64]) -> Option<u32> {
    let mut registers = [0; PARAMETERS];
    registers.get_mut(..words.len())?.copy_from_slice(words);
    // SAFETY: promised by the caller.
    let function =
        unsafe { transmute::<*mut c_void, extern "C" fn(u64, u64, u64, u64, u64, u64) -> u32>(function) };
    let [a, b, c, d, e, f] = registers;
    Some(function(a, b, c, d, e, f))
}
