//! Kills a process before each single instruction of an allocation and a free, and asks another process of the container
//! each time whether everything is back.
//!
//! `stepped [--every N]`: only before each N-th instruction. The last line says how many instructions there are, how many
//! processes were killed and how many bytes were missing afterwards, in all. The program fails when any were.

mod process;
mod victim;
mod witness;

use std::process::ExitCode;
use victim::{End, Victim};
use witness::Witness;

fn main() -> ExitCode {
    let every = match every() {
        Ok(every) => every,
        Err(problem) => {
            eprintln!("stepped: {problem}");
            return ExitCode::from(2);
        }
    };
    match run(every) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("stepped: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// # Errors
/// One line that names the argument.
fn every() -> Result<usize, String> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => Ok(1),
        [name, value] if name == "--every" => match value.parse() {
            Ok(every @ 1..) => Ok(every),
            _ => Err(format!("--every {value}: give a number above 0")),
        },
        _ => Err(format!("{}: no such arguments; give --every N, or none", arguments.join(" "))),
    }
}

/// Answers with the bytes that were missing.
fn run(every: usize) -> Result<u64, String> {
    let mut witness = Witness::start()?;
    // It is ready when it answers.
    let (mut killed, mut missing) = (0_u64, witness.missing()?);
    for instructions in (0..).step_by(every) {
        match Victim::start()?.dies_after(instructions)? {
            End::Killed => killed += 1,
            End::Finished => {
                println!("{instructions} instructions, {killed} killed, {missing} bytes missing");
                return Ok(missing);
            }
        }
        let found = witness.missing()?;
        if found > 0 {
            eprintln!("stepped: {found} bytes are missing after a death before instruction {instructions}");
        }
        missing += found;
    }
    unreachable!("a process ends after some number of instructions")
}
