//! The terminal, given back as it was on every way out: the end, an error, a panic, a signal.
//!
//! Whatever a terminal does, the view goes on and hears signals. So it reads only what has come, and writes only while the
//! terminal takes it.

use std::io;
use std::panic;
use std::time::{Duration, Instant};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::style::PrintStyledContent;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;
use rustix::io::Errno;
use signal_hook::consts::SIGTSTP;
use signal_hook::low_level;

use super::frame::Line;
use super::interruption::Interruptions;
use super::keys::{Key, Keys};

/// How soon a signal is noticed.
const PATIENCE: Duration = Duration::from_millis(100);
/// Bytes that are written at once: a terminal that says that it takes some may not take many.
const PIECE: usize = 256;

/// The terminal while the view has it.
pub(super) struct Screen {
    keys: Keys,
}

impl Screen {
    /// Takes the terminal.
    pub(super) fn open() -> io::Result<Self> {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            leave();
            before(panic);
        }));
        let screen = Self { keys: Keys::default() };
        enter()?;
        Ok(screen)
    }

    /// Shows `lines`, one for each row of a screen of `columns`, unless one of `interruptions` comes first.
    pub(super) fn show(
        &mut self,
        lines: &[Line],
        columns: usize,
        interruptions: &Interruptions,
    ) -> io::Result<()> {
        let mut output = Vec::new();
        queue!(output, BeginSynchronizedUpdate)?;
        for (row, line) in (0..).zip(lines) {
            queue!(output, MoveTo(0, row))?;
            for part in line.styled() {
                queue!(output, PrintStyledContent(part))?;
            }
            // Behind a line that fills its row the cursor still stands on the last character.
            if line.width() < columns {
                queue!(output, Clear(ClearType::UntilNewLine))?;
            }
        }
        queue!(output, EndSynchronizedUpdate)?;
        write(&output, || !interruptions.is_pending())
    }

    /// The keys that have come, after waiting a little for the first.
    ///
    /// # Errors
    /// When there is no terminal any more.
    pub(super) fn keys(&mut self) -> io::Result<Vec<Key>> {
        let input = io::stdin();
        if !wait(&input, PollFlags::IN)? {
            return Ok(self.keys.silence().into_iter().collect());
        }
        let mut bytes = [0; 1024];
        match rustix::io::read(&input, &mut bytes) {
            Ok(0) => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it is gone")),
            Ok(read) => Ok(self.keys.read(&bytes[..read])),
            Err(Errno::INTR | Errno::AGAIN) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// Stops this process as the terminal's stop key does, and takes the terminal again when it is continued.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        leave();
        low_level::emulate_default_handler(SIGTSTP)?;
        enter()
    }

    /// Takes the terminal again, which may be another program's doing after this process was stopped.
    pub(super) fn retake(&mut self) -> io::Result<()> {
        disable_raw_mode()?;
        enter()
    }

    /// Ends this process by `signal`, so that whoever waits for it sees why.
    pub(super) fn end_by(self, signal: i32) -> io::Result<()> {
        drop(self);
        low_level::emulate_default_handler(signal)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    let mut output = Vec::new();
    queue!(output, EnterAlternateScreen, Hide)?;
    write_soon(&output)
}

/// Gives the terminal back. On the way out nobody can be told that this failed.
fn leave() {
    let mut output = Vec::new();
    let _ = queue!(output, Show, LeaveAlternateScreen);
    let _ = write_soon(&output);
    let _ = disable_raw_mode();
}

/// Writes `bytes` to a terminal that takes them within a second; one that does not is not waited for.
fn write_soon(bytes: &[u8]) -> io::Result<()> {
    let start = Instant::now();
    write(bytes, || start.elapsed() < Duration::from_secs(1))
}

/// Writes `bytes` to the terminal while `goes_on`.
fn write(bytes: &[u8], goes_on: impl Fn() -> bool) -> io::Result<()> {
    let output = io::stdout();
    let mut rest = bytes;
    while !rest.is_empty() && goes_on() {
        if !wait(&output, PollFlags::OUT)? {
            continue;
        }
        match rustix::io::write(&output, &rest[..rest.len().min(PIECE)]) {
            Ok(written) => rest = &rest[written..],
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Waits a little for `events` on the terminal; whether it is ready for them, or gone.
fn wait(terminal: &impl AsFd, events: PollFlags) -> io::Result<bool> {
    let mut terminal = [PollFd::new(terminal, events)];
    let patience = Timespec::try_from(PATIENCE).map_err(io::Error::other)?;
    match poll(&mut terminal, Some(&patience)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
