//! A death before each instruction.

use crate::traced::{Step, Traced};
use crate::witness::Witness;

pub(crate) fn run() -> Result<(), String> {
    let mut witness = Witness::start()?;
    // It is ready when it answers.
    let (mut killed, mut missing) = (0_u64, witness.missing()?);
    for instructions in 0.. {
        if !dies_after(instructions)? {
            println!("{instructions} instructions, {killed} killed, {missing} bytes missing");
            break;
        }
        killed += 1;
        let found = witness.missing()?;
        if found > 0 {
            eprintln!("traced: {found} bytes are missing after a death before instruction {instructions}");
        }
        missing += found;
    }
    if missing == 0 { Ok(()) } else { Err(format!("{missing} bytes were not given back")) }
}

/// Kills a process after so many instructions. `false` if it was done before.
fn dies_after(instructions: u64) -> Result<bool, String> {
    let process = Traced::start(1)?;
    for _ in 0..instructions {
        if process.goes_on(libc::PTRACE_SINGLESTEP)? == Step::Ended {
            return Ok(false);
        }
    }
    process.kill()?;
    Ok(true)
}
