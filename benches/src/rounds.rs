//! The same work without and with the library, by turns, so that what else the machine does falls on both.

use anyhow::Result;

/// What was measured in each round.
pub struct Rounds<T> {
    /// Without the library, round by round.
    pub native: Vec<T>,
    /// With it.
    pub library: Vec<T>,
}

impl<T> Rounds<T> {
    /// Measures both, `count` times.
    ///
    /// # Errors
    /// Those of measuring.
    pub fn of(count: usize, native: impl Fn() -> Result<T>, library: impl Fn() -> Result<T>) -> Result<Self> {
        let mut rounds = Self { native: Vec::new(), library: Vec::new() };
        for _ in 0..count {
            rounds.native.push(native()?);
            rounds.library.push(library()?);
        }
        Ok(rounds)
    }

    /// One figure of each measurement.
    pub fn figures(&self, figure: impl Fn(&T) -> u64) -> Rounds<u64> {
        Rounds {
            native: self.native.iter().map(&figure).collect(),
            library: self.library.iter().map(&figure).collect(),
        }
    }
}
