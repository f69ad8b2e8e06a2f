//! System calls.

use crate::traced::{Step, Traced};

/// The call that ends the process.
const END: u64 = 1;

pub(crate) fn run(pairs: &str) -> Result<(), String> {
    let number = pairs.parse().map_err(|error| format!("syscalls {pairs}: {error}"))?;
    let process = Traced::start(number)?;
    let mut stops = 0_u64;
    while process.goes_on(libc::PTRACE_SYSCALL)? == Step::Taken {
        stops += 1;
    }
    // A call stops twice; the one that ends the process does not return.
    println!("{} system calls in {pairs} allocations and frees", stops.div_ceil(2) - END);
    Ok(())
}
