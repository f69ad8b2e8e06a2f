//! The measured program: sets the scene, does one kind of work COUNT times, prints the nanoseconds each took.

use crate::launches;
use anyhow::{Result, anyhow};
use rustix::time::{ClockId, clock_gettime};
use sim_apps::{CUresult, Failure, driver};
use std::fmt;
use std::io::{Read, Write};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// One kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// `cuDeviceTotalMem`: an intercepted call that does next to nothing.
    Report,
    /// `cuMemAlloc` and `cuMemFree` of 1 MiB, beside this many live allocations.
    Pair(u32),
    /// `cuMemAlloc` of more than the limit leaves.
    Refusal,
    /// The same call where nothing limits it; the driver without a device grants it.
    Grant,
    /// From `cuInit` to the first allocation, once, after the end of standard input: the time and the processor time. Prints a
    /// space when it is ready.
    Start,
    /// As `Start`, then idle until standard input ends.
    Stay,
    /// `cuLaunchKernel`.
    Launch,
    /// Launches now and then, until standard input ends.
    Hum,
    /// Kernels of so many microseconds, launched in batches of which each is waited for: the time by the clock.
    Kernels { us: u32, batch: u32 },
    /// Launches once; then, after the end of standard input, does nothing for COUNT seconds: the processor time of the process, and
    /// that of this thread. Prints a space when it is ready.
    Rest,
    /// The same, but keeps the device busy for that time.
    Toil,
    /// The same as one of eight processes would that keep a device busy, on a driver that is done at once: what a driver takes
    /// for its answers is not in it.
    Pace,
}

impl Work {
    /// The profile of the simulated driver that it is done on: one that does nothing, or one with a device behind it.
    pub(crate) const fn driver(self) -> &'static str {
        match self {
            Self::Kernels { .. } | Self::Rest | Self::Toil => "550",
            _ => "null",
        }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Report => f.write_str("report"),
            Self::Pair(live) => write!(f, "pair-{live}"),
            Self::Refusal => f.write_str("refusal"),
            Self::Grant => f.write_str("grant"),
            Self::Start => f.write_str("start"),
            Self::Stay => f.write_str("stay"),
            Self::Launch => f.write_str("launch"),
            Self::Hum => f.write_str("hum"),
            Self::Kernels { us, batch } => write!(f, "kernels-{us}-{batch}"),
            Self::Rest => f.write_str("rest"),
            Self::Toil => f.write_str("toil"),
            Self::Pace => f.write_str("pace"),
        }
    }
}

impl FromStr for Work {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, numbers) = text.split_once('-').unwrap_or((text, ""));
        let numbers = numbers.split('-').filter(|number| !number.is_empty()).map(str::parse);
        match (name, numbers.collect::<Result<Vec<u32>, _>>()?.as_slice()) {
            ("report", []) => Ok(Self::Report),
            ("pair", &[live]) => Ok(Self::Pair(live)),
            ("refusal", []) => Ok(Self::Refusal),
            ("grant", []) => Ok(Self::Grant),
            ("start", []) => Ok(Self::Start),
            ("stay", []) => Ok(Self::Stay),
            ("launch", []) => Ok(Self::Launch),
            ("hum", []) => Ok(Self::Hum),
            ("kernels", &[us, batch]) => Ok(Self::Kernels { us, batch }),
            ("rest", []) => Ok(Self::Rest),
            ("toil", []) => Ok(Self::Toil),
            ("pace", []) => Ok(Self::Pace),
            _ => Err(anyhow!("no work is called {text}")),
        }
    }
}

/// What the program allocates at a time.
const SIZE: usize = 1 << 20;
/// More than any limit leaves.
const TOO_MUCH: usize = 1 << 45;

/// Does `work` and prints the nanoseconds one of `count` took.
pub(crate) fn run(work: Work, count: u32) -> Result<()> {
    match work {
        Work::Report => {
            driver::start(0)?;
            print_each(count, || driver::total_memory(0).map(drop))
        }
        Work::Pair(live) => {
            driver::start(0)?;
            for _ in 0..live {
                driver::allocate(SIZE)?;
            }
            print_each(count, || driver::free(driver::allocate(SIZE)?))
        }
        Work::Refusal => {
            driver::start(0)?;
            print_each(count, || match driver::allocate(TOO_MUCH) {
                Err(failure) if failure.code == CUresult::OUT_OF_MEMORY => Ok(()),
                Err(failure) => Err(failure),
                Ok(_) => Err(Failure { call: "cuMemAlloc past the limit", code: CUresult::SUCCESS }),
            })
        }
        Work::Grant => {
            driver::start(0)?;
            print_each(count, || driver::allocate(TOO_MUCH).map(drop))
        }
        Work::Start => start(),
        Work::Stay => {
            driver::start(0)?;
            driver::allocate(SIZE)?;
            print(0)?;
            wait_for_parent()
        }
        Work::Launch => launches::launch(count),
        Work::Hum => launches::hum(),
        Work::Kernels { us, batch } => launches::kernels(us, batch, count),
        Work::Rest => launches::rest(count),
        Work::Toil => launches::toil(count),
        Work::Pace => launches::pace(count),
    }
}

fn start() -> Result<()> {
    wait_for_go()?;
    let (begin, cpu) = (Instant::now(), ClockId::ProcessCPUTime.now());
    driver::start(0)?;
    driver::allocate(SIZE)?;
    print_both(begin.elapsed(), ClockId::ProcessCPUTime.now() - cpu)
}

/// Times `count` calls together, after a tenth as many to warm up: in processor time of this thread, which other programs do
/// not stretch by taking the processor away.
pub(crate) fn print_each(count: u32, mut call: impl FnMut() -> Result<(), Failure>) -> Result<()> {
    for _ in 0..count / 10 {
        call()?;
    }
    let begin = ClockId::ThreadCPUTime.now();
    for _ in 0..count {
        call()?;
    }
    print((ClockId::ThreadCPUTime.now() - begin).as_nanos() / u128::from(count.max(1)))
}

pub(crate) fn print(nanoseconds: u128) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{nanoseconds}")?)
}

pub(crate) fn print_both(first: Duration, second: Duration) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{} {}", first.as_nanos(), second.as_nanos())?)
}

/// A clock that tells how long it has run.
pub(crate) trait Clock {
    /// What it shows.
    fn now(self) -> Duration;
}

impl Clock for ClockId {
    fn now(self) -> Duration {
        Duration::try_from(clock_gettime(self)).unwrap_or_default()
    }
}

/// Says that all is ready, and waits until the parent closes its end of the pipe.
pub(crate) fn wait_for_go() -> Result<()> {
    write!(std::io::stdout(), " ")?;
    std::io::stdout().flush()?;
    wait_for_parent()
}

/// Waits until the parent closes its end of the pipe.
pub(crate) fn wait_for_parent() -> Result<()> {
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
