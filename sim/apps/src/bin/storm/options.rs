//! The command line.

/// What the storm is made of.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) workers: usize,
    /// How many requests of all workers together there are at least.
    pub(crate) requests: u64,
    /// The most bytes that one worker holds beside its context.
    pub(crate) cap: u64,
    /// The most bytes of one request.
    pub(crate) piece: u64,
    pub(crate) kill_every_ms: u64,
    pub(crate) seed: u64,
    /// Whether workers take kinds of memory beyond linear, managed and pitched, in two threads.
    pub(crate) everything: Everything,
}

/// Which kinds of memory there are beyond the plain ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Everything {
    No,
    ButPools,
    WithPools,
}

impl Options {
    /// # Errors
    /// One line that names the argument.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            workers: 64,
            requests: 100_000,
            cap: 0,
            piece: 0,
            kill_every_ms: 5,
            seed: 1,
            everything: Everything::No,
        };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name}: give a number"))?;
            let number: u64 = value.parse().map_err(|error| format!("{name} {value}: {error}"))?;
            match name.as_str() {
                "--workers" => {
                    options.workers =
                        usize::try_from(number).map_err(|error| format!("{name} {value}: {error}"))?;
                }
                "--requests" => options.requests = number,
                "--cap" => options.cap = number,
                "--piece" => options.piece = number,
                "--kill-every-ms" => options.kill_every_ms = number,
                "--seed" => options.seed = number,
                "--everything" => {
                    options.everything = match number {
                        0 => Everything::No,
                        1 => Everything::ButPools,
                        2 => Everything::WithPools,
                        _ => return Err(format!("{name} {value}: give 0, 1 or 2")),
                    }
                }
                _ => return Err(format!("{name}: no such argument")),
            }
        }
        match options {
            Self { workers: 1.., cap: 1.., piece: 1.., .. } if options.piece <= options.cap => Ok(options),
            _ => Err("give --workers, and a --cap that is at least --piece, all above 0".into()),
        }
    }
}
