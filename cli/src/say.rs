//! Lines of our own. Standard output belongs to the command that is run.

use std::fmt::Display;
use std::io::{self, Write};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;

use crate::failure::Failure;
use crate::show::{escaped, prints};

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

/// Whether nobody reads standard output any more.
pub(crate) fn reader_has_gone() -> bool {
    let output = io::stdout();
    let mut output = [PollFd::new(&output, PollFlags::OUT)];
    poll(&mut output, Some(&Timespec::default())).is_ok() && output[0].revents().contains(PollFlags::ERR)
}

/// Prints `document` as JSON on standard output. What does not print is written as an escape, which means the same: a
/// terminal that shows the document must not obey a name in it.
pub(crate) fn print_json(document: &impl Serialize) -> Result<(), Failure> {
    print(&json(document))
}

/// The text of `document`, with a newline at its end.
pub(crate) fn json(document: &impl Serialize) -> String {
    // The keys of our documents are texts, and their values have no way to fail.
    let text = serde_json::to_string_pretty(document).unwrap_or_default();
    let mut shown = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        if character == '\n' || prints(character) {
            shown.push(character);
        } else {
            let mut units = [0; 2];
            shown.extend(character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    shown + "\n"
}

/// Says something on standard error, usually one line. Names in it cannot move the cursor.
pub(crate) fn say(text: impl Display) {
    let text = text.to_string();
    let lines: Vec<String> = text.split('\n').map(escaped).collect();
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(io::stderr(), "vgpu: {}", lines.join("\n"));
}

/// What the library would say, without the name of this program, with which its lines begin, too.
pub(crate) fn of_library(line: impl Display) -> String {
    let line = line.to_string();
    line.strip_prefix("vgpu: ").unwrap_or(&line).to_owned()
}

/// Says what will work otherwise than one might think.
pub(crate) fn warn(line: impl Display) {
    say(format_args!("warning: {line}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_means_the_same_and_has_no_power_over_a_terminal() {
        let names = ["\u{1b}[2J", "\u{9b}31m", "\u{7f}\u{202e}\u{200d}", "\u{e0001}", "größer 模型 \"q\\\n"];
        let text = json(&names);
        assert!(!text.chars().any(|character| character != '\n' && !prints(character)), "{text}");
        assert!(
            text.contains("\\u009b31m") && text.contains("\\udb40\\udc01") && text.contains("größer 模型")
        );
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).expect("JSON"), names);
    }
}
