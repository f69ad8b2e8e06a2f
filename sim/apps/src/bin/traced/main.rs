//! Watches from outside what a process does to allocate and to free.
//!
//! - `traced deaths` kills a process before each single instruction of an allocation and a free, and asks another process of
//!   the container each time whether everything is back. Prints how many instructions there are, how many processes were
//!   killed and how many bytes were missing afterwards, in all, and fails when any were.
//! - `traced syscalls N` prints how many system calls a process makes in N allocations and frees.

mod deaths;
mod process;
mod syscalls;
mod traced;
mod witness;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let result = match *arguments {
        ["deaths"] => deaths::run(),
        ["syscalls", pairs] => syscalls::run(pairs),
        _ => Err("give `deaths`, or `syscalls` and a number".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("traced: {problem}");
            ExitCode::FAILURE
        }
    }
}
