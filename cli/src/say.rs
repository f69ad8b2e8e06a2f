//! Lines of our own. Standard output belongs to the command that is run.

use std::fmt::Display;
use std::io::{self, Write};

/// Says one line on standard error.
pub(crate) fn say(line: impl Display) {
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(io::stderr(), "vgpu: {line}");
}

/// Says what will work otherwise than one might think.
pub(crate) fn warn(line: impl Display) {
    say(format_args!("warning: {line}"));
}
