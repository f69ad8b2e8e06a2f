//! `on N COMMAND`: thread `N` of the program does what `COMMAND` says while the first thread waits. A thread starts when it
//! is first named.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The program's other threads, by their numbers.
#[derive(Default)]
pub(crate) struct Threads(HashMap<String, (Sender<String>, Receiver<Option<String>>)>);

impl Threads {
    /// The answer of the thread that `rest`, what follows `on`, names.
    pub(crate) fn answer(&mut self, rest: &str) -> Option<String> {
        let (number, line) = rest.split_once(' ')?;
        let (lines, answers) = self.0.entry(number.to_owned()).or_insert_with(start);
        lines.send(line.to_owned()).ok()?;
        answers.recv().ok()?
    }
}

/// Starts a thread that answers each line it is sent.
fn start() -> (Sender<String>, Receiver<Option<String>>) {
    let (to, lines) = channel::<String>();
    let (answers, from) = channel();
    std::thread::spawn(move || {
        for line in lines {
            if answers.send(crate::answer(&line)).is_err() {
                break;
            }
        }
    });
    (to, from)
}
