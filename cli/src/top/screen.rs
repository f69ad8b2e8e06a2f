//! The terminal, given back as it was on every way out: the end, an error, a panic, a signal.

use std::io::{self, Write};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::style::PrintStyledContent;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::{flag, low_level};

use super::frame::Line;

/// The terminal while the view has it.
pub(super) struct Screen {
    /// Number of the latest signal that has not been dealt with.
    signal: Arc<AtomicUsize>,
}

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interruption {
    /// To stop until somebody continues this process.
    Stop,
    /// To end, by the signal of this number.
    End(i32),
}

impl Screen {
    /// Takes the terminal.
    pub(super) fn open() -> io::Result<Self> {
        let signal = Arc::new(AtomicUsize::new(0));
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP] {
            let value = usize::try_from(number).map_err(io::Error::other)?;
            flag::register_usize(number, Arc::clone(&signal), value)?;
        }
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            leave();
            before(panic);
        }));
        let screen = Self { signal };
        enter()?;
        Ok(screen)
    }

    /// Shows `lines`, one for each row of a screen of `columns`, in one write.
    pub(super) fn show(&mut self, lines: &[Line], columns: usize) -> io::Result<()> {
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
        let mut terminal = io::stdout().lock();
        terminal.write_all(&output)?;
        terminal.flush()
    }

    /// What has come since this was last asked.
    pub(super) fn interruption(&self) -> Option<Interruption> {
        let number = i32::try_from(self.signal.swap(0, Ordering::Relaxed)).ok()?;
        match number {
            0 => None,
            SIGTSTP => Some(Interruption::Stop),
            other => Some(Interruption::End(other)),
        }
    }

    /// Stops this process as the terminal's stop key does, and takes the terminal again when it is continued.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        leave();
        low_level::emulate_default_handler(SIGTSTP)?;
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
    execute!(io::stdout(), EnterAlternateScreen, Hide)
}

/// Gives the terminal back. On the way out nobody can be told that this failed.
fn leave() {
    let mut output = io::stdout();
    let _ = execute!(output, Show, LeaveAlternateScreen);
    let _ = disable_raw_mode();
    let _ = output.flush();
}
