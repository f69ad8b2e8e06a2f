//! The measured program: sets the scene, does one kind of work COUNT times, prints the nanoseconds each took.

use anyhow::{Result, anyhow};
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
        }
    }
}

impl FromStr for Work {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "report" => Ok(Self::Report),
            "refusal" => Ok(Self::Refusal),
            "grant" => Ok(Self::Grant),
            "start" => Ok(Self::Start),
            "stay" => Ok(Self::Stay),
            _ => match name.strip_prefix("pair-") {
                Some(live) => Ok(Self::Pair(live.parse()?)),
                None => Err(anyhow!("no work is called {name}")),
            },
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
    }
}

fn start() -> Result<()> {
    write!(std::io::stdout(), " ")?;
    std::io::stdout().flush()?;
    wait_for_parent()?;
    let (begin, cpu) = (Instant::now(), cpu_time());
    driver::start(0)?;
    driver::allocate(SIZE)?;
    let (elapsed, cpu) = (begin.elapsed(), cpu_time() - cpu);
    Ok(writeln!(std::io::stdout(), "{} {}", elapsed.as_nanos(), cpu.as_nanos())?)
}

/// Times `count` calls together, after a tenth as many to warm up: in processor time, which other programs do not stretch
/// by taking the processor away.
fn print_each(count: u32, mut call: impl FnMut() -> Result<(), Failure>) -> Result<()> {
    for _ in 0..count / 10 {
        call()?;
    }
    let begin = cpu_time();
    for _ in 0..count {
        call()?;
    }
    print((cpu_time() - begin).as_nanos() / u128::from(count.max(1)))
}

fn print(nanoseconds: u128) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{nanoseconds}")?)
}

/// What this process has had of the processors.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Waits until the parent closes its end of the pipe.
fn wait_for_parent() -> Result<()> {
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
