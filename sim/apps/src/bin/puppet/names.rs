//! Commands with names of memory and events, which the driver takes by value: no register holds one.

use crate::argument::number;
use cuda_sys::{CUevent, CUipcEventHandle, CUipcMemHandle};
use sim_apps::cuda;

/// Words of a name.
const WORDS: usize = 8;

pub(crate) fn answer(command: &str, rest: &str) -> Option<String> {
    if !command.starts_with("open-") {
        return None;
    }
    let numbers: Vec<_> = rest.split_whitespace().map(number).collect::<Option<_>>()?;
    let (name, rest) = numbers.split_first_chunk::<WORDS>()?;
    let mut bytes = [0; 8 * WORDS];
    for (place, word) in bytes.chunks_exact_mut(8).zip(name) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
    match (command, rest) {
        // `open-memory NAME... FLAGS`: the code, and after a success the address.
        ("open-memory", [flags]) => {
            let (mut address, flags) = (0, u32::try_from(*flags).ok()?);
            let name = CUipcMemHandle(bytes);
            // SAFETY: `address` is valid for writing.
            let code = unsafe { cuda::cuIpcOpenMemHandle_v2(&raw mut address, name, flags) };
            Some(if code.is_success() { format!("0 {address}") } else { code.0.to_string() })
        }
        // `open-event NAME...`: the code, and after a success the event.
        ("open-event", []) => {
            let mut event = CUevent(std::ptr::null_mut());
            // SAFETY: `event` is valid for writing.
            let code = unsafe { cuda::cuIpcOpenEventHandle(&raw mut event, CUipcEventHandle(bytes)) };
            Some(if code.is_success() { format!("0 {}", event.0.addr()) } else { code.0.to_string() })
        }
        _ => None,
    }
}
