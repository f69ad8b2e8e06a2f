//! Lines of our own. Standard output belongs to the command that is run.

use std::fmt::Display;
use std::io::{self, Write};

use crate::failure::Failure;

/// Prints `text` on standard output. A reader that has gone, such as `head`, has seen enough.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::own(format_args!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Says one line on standard error.
pub(crate) fn say(line: impl Display) {
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(io::stderr(), "vgpu: {line}");
}

/// Says what will work otherwise than one might think.
pub(crate) fn warn(line: impl Display) {
    say(format_args!("warning: {line}"));
}
