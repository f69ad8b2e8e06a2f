//! Makes the calls that it is told to, one line of standard input a call, and answers each with one line. So a test moves
//! several processes step by step.
//!
//! - `cuMemAlloc_v2 out 4096` calls an entry point of the driver or of NVML; the arguments are described in [`argument`].
//!   The answer is the result code, and after a success every output. After a failure, `changed` says that an output was
//!   written to all the same. An entry point that is not there is answered with `missing`.
//! - Other commands are those of [`processes`], [`descriptors`], [`names`], [`loops`] and [`lasting_threads`].
//!
//! A line that is no command ends the program. An argument is the first line of output.

mod argument;
mod call;
mod descriptors;
mod lasting_threads;
mod loops;
mod names;
mod processes;

use std::io::{BufRead, Write};
use std::process::ExitCode;

/// Seconds after which the program ends itself: a call that never returns then fails a test instead of stopping it.
const LIFE: u32 = 300;

fn main() -> ExitCode {
    // SAFETY: nothing here handles the signal, which ends the process.
    unsafe { libc::alarm(LIFE) };
    if let Some(answer) = std::env::args().nth(1) {
        println!("{answer}");
    }
    let mut threads = lasting_threads::Threads::default();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let answer = line.strip_prefix("on ").map_or_else(|| answer(&line), |rest| threads.answer(rest));
        let Some(answer) = answer else {
            eprintln!("puppet: `{line}` is no command");
            return ExitCode::from(2);
        };
        if writeln!(std::io::stdout(), "{answer}").is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}

/// Does what `line` says.
fn answer(line: &str) -> Option<String> {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    processes::answer(command, rest)
        .or_else(|| descriptors::answer(command, rest))
        .or_else(|| names::answer(command, rest))
        .or_else(|| loops::answer(command, rest))
        .or_else(|| call::answer(command, rest))
}
