//! Commands that call the driver many times.

use crate::argument::number;
use sim_apps::{CUresult, cuda, driver};

pub(crate) fn answer(command: &str, arguments: &str) -> Option<String> {
    if !["fill", "race", "take"].contains(&command) {
        return None;
    }
    let numbers: Vec<_> = arguments.split_whitespace().map(number).collect::<Option<_>>()?;
    Some(match (command, numbers.as_slice()) {
        ("fill", &[address, bytes, byte]) => fill(address, size(bytes)?, u8::try_from(byte).ok()?),
        ("race", &[rounds, bytes]) => race(rounds, size(bytes)?),
        ("take", &[pieces, bytes]) => take(pieces, size(bytes)?),
        _ => return None,
    })
}

fn size(number: u64) -> Option<usize> {
    usize::try_from(number).ok()
}

/// `fill ADDRESS BYTES BYTE` sets memory and reads it back: both codes, and how many bytes are what they should be.
fn fill(address: u64, bytes: usize, byte: u8) -> String {
    // SAFETY: the driver checks the range.
    let set = unsafe { cuda::cuMemsetD8_v2(address, byte, bytes) };
    let mut back = vec![!byte; bytes];
    // SAFETY: `back` is valid for writing `bytes`; the driver checks the range on the device.
    let copied = unsafe { cuda::cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), address, bytes) };
    format!("{} {} {}", set.0, copied.0, back.iter().filter(|found| **found == byte).count())
}

/// `race ROUNDS BYTES` allocates and frees: `0 GRANTED REFUSED`, or any other code that came back.
fn race(rounds: u64, bytes: usize) -> String {
    let (mut granted, mut refused) = (0_u64, 0_u64);
    for _ in 0..rounds {
        let freed = driver::allocate(bytes).and_then(driver::free);
        match freed.map_err(|failure| failure.code) {
            Ok(()) => granted += 1,
            Err(CUresult::OUT_OF_MEMORY) => refused += 1,
            Err(other) => return other.0.to_string(),
        }
    }
    format!("0 {granted} {refused}")
}

/// `take PIECES BYTES` allocates and keeps at most so many pieces: `0 GRANTED`.
fn take(pieces: u64, bytes: usize) -> String {
    let granted = (0..pieces).take_while(|_| driver::allocate(bytes).is_ok()).count();
    format!("0 {granted}")
}
