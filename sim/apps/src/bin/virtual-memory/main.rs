//! How well-known programs use virtual memory, written anew from what they do.
//!
//! `virtual-memory HABIT [MEBIBYTES]` does it with at most so many MiB (512 unless given), and says what it got. When it ends
//! well, it has given everything back.
//!
//! - `expandable`: a segment of a caching allocator that grows and shrinks in place.
//! - `sleep`: weights that leave the device and come back at the same address.
//! - `peers`: buffers that two processes share; each lets go of its handle as soon as it has mapped it.
//! - `stack`: a pool that grows at its end and is given back as a whole.

mod expandable;
mod memory;
mod peers;
mod sleep;
mod stack;

use memory::Trouble;
use sim_apps::driver;
use std::process::ExitCode;

/// What a habit does with so many bytes.
type Habit = fn(usize) -> Result<(), Trouble>;

const HABITS: [(&str, Habit); 5] = [
    ("expandable", expandable::run),
    ("sleep", sleep::run),
    ("peers", peers::run),
    (peers::OTHER, peers::run_other),
    ("stack", stack::run),
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_default();
    let Some((_, habit)) = HABITS.iter().find(|(known, _)| *known == name) else {
        eprintln!("virtual-memory: `{name}` is no habit; there are expandable, sleep, peers and stack");
        return ExitCode::from(2);
    };
    let mebibytes: usize = match words.next().map(|word| word.parse()) {
        None => 512,
        Some(Ok(mebibytes)) => mebibytes,
        Some(Err(error)) => {
            eprintln!("virtual-memory: {error}; give a number of MiB");
            return ExitCode::from(2);
        }
    };
    let done =
        driver::start(0).map_err(Trouble::from).and_then(|()| habit(mebibytes.saturating_mul(1 << 20)));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("virtual-memory: {name}: {trouble}");
            ExitCode::FAILURE
        }
    }
}
