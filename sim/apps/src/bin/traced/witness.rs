//! The process that looks whether everything is back.

use crate::process;
use sim_apps::driver;
use std::io::{PipeReader, PipeWriter, Read, Write};

/// A process of the container that holds nothing but a context.
pub(crate) struct Witness {
    questions: PipeWriter,
    answers: PipeReader,
}

impl Witness {
    pub(crate) fn start() -> Result<Self, String> {
        let pipe = || std::io::pipe().map_err(|error| format!("pipe: {error}"));
        let ((mut asked, questions), (answers, mut answer)) = (pipe()?, pipe()?);
        process::child(|| {
            // A context that has not been used need not have taken its memory.
            let used = driver::start(0).and_then(|()| driver::allocate(1)).and_then(driver::free);
            let rest = used.and_then(|()| driver::memory_info());
            let Ok((rest, _)) = rest.inspect_err(|failure| eprintln!("traced: the witness: {failure}"))
            else {
                return;
            };
            while asked.read_exact(&mut [0]).is_ok() {
                // Its parent is gone if this cannot be written.
                let _ = answer.write_all(&missing_of(rest).to_le_bytes());
            }
        })?;
        Ok(Self { questions, answers })
    }

    /// How much of what this process could allocate at its start it cannot have now.
    pub(crate) fn missing(&mut self) -> Result<u64, String> {
        let mut bytes = [0; 8];
        let asked = self.questions.write_all(&[0]).and_then(|()| self.answers.read_exact(&mut bytes));
        asked.map_err(|error| format!("the witness does not answer: {error}"))?;
        Ok(u64::from_le_bytes(bytes))
    }
}

/// Allocates all of `rest`, for a moment.
fn missing_of(rest: usize) -> u64 {
    match driver::allocate(rest).and_then(driver::free) {
        Ok(()) => 0,
        Err(failure) => {
            let left = driver::memory_info().map_or(0, |(free, _)| free);
            // What is told and what is granted may differ: then it is one byte that is missing, at least.
            eprintln!("traced: the witness: {failure}");
            rest.saturating_sub(left).max(1) as u64
        }
    }
}
