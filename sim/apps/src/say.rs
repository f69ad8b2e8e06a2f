//! Lines for people.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// Prints a line of `program` on standard output. A reader that has gone has seen enough.
pub fn say(program: &str, line: impl Display) {
    match writeln!(io::stdout(), "{line}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("{program}: standard output: {error}");
        }
        _ => {}
    }
}
