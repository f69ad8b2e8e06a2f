//! Signals, which are noticed between two frames.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::flag;

/// The signals that have come and have not been dealt with.
pub(super) struct Interruptions {
    /// Number of the latest that ends a program, 0 when there is none.
    end: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    continued: Arc<AtomicBool>,
}

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interruption {
    /// To end, by the signal of this number.
    End(i32),
    /// To stop until somebody continues this process.
    Stop,
    /// Nothing, but this process may have been stopped, and others have used the terminal.
    Continued,
}

impl Interruptions {
    /// Starts to catch them.
    pub(super) fn catch() -> io::Result<Self> {
        let caught = Self { end: Arc::default(), stop: Arc::default(), continued: Arc::default() };
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            flag::register_usize(
                signal,
                Arc::clone(&caught.end),
                usize::try_from(signal).map_err(io::Error::other)?,
            )?;
        }
        flag::register(SIGTSTP, Arc::clone(&caught.stop))?;
        flag::register(SIGCONT, Arc::clone(&caught.continued))?;
        Ok(caught)
    }

    /// Whether there is one.
    pub(super) fn is_pending(&self) -> bool {
        self.end.load(Ordering::Relaxed) != 0
            || self.stop.load(Ordering::Relaxed)
            || self.continued.load(Ordering::Relaxed)
    }

    /// The most urgent one: a request to end is not forgotten for a stop that comes after it.
    pub(super) fn take(&self) -> Option<Interruption> {
        let end = i32::try_from(self.end.swap(0, Ordering::Relaxed)).ok().filter(|signal| *signal != 0);
        if let Some(signal) = end {
            return Some(Interruption::End(signal));
        }
        if self.stop.swap(false, Ordering::Relaxed) {
            return Some(Interruption::Stop);
        }
        self.continued.swap(false, Ordering::Relaxed).then_some(Interruption::Continued)
    }
}
