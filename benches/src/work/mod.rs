//! The measured program: sets the scene, does one kind of work COUNT times, prints the nanoseconds each took.

mod contexts;
mod launches;
mod memory;
mod name;
mod place;
mod programs;
mod streams;

use anyhow::Result;
use rustix::time::{ClockId, clock_gettime};
use sim_apps::{Failure, driver, identity};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

pub use place::Place;

/// One kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// `cuDeviceTotalMem`: an intercepted call that does next to nothing.
    Report,
    /// `cuMemAlloc` and `cuMemFree` of 1 MiB, beside this many live allocations.
    Pair(u32),
    /// `cuMemAlloc` and `cuMemFree` of 1 MiB, of so many live allocations each time the one that was allocated first.
    Turnover(u32),
    /// Pairs beside processes that begin at the same moment, after the end of standard input: the time by the clock.
    /// Prints a space when it is ready.
    Race,
    /// `cuMemAlloc` and `cuMemFree` of 1 MiB, each by itself: two numbers.
    Halves,
    /// `cuMemAlloc` of more than the limit leaves.
    Refusal,
    /// The same call where nothing limits it; the driver without a device grants it.
    Grant,
    /// `cuMemFree` of what is no address.
    Mistake,
    /// What the device holds by its own account, this process with it, in bytes.
    Used,
    /// Takes memory until it is refused, at most COUNT MiB: how many bytes that were. Then holds it until standard input ends.
    Fill,
    /// Holds so many MiB until standard input ends. Prints a number when it does.
    Hold(u32),
    /// After the end of standard input, asks for so many MiB until they are granted: the time by the clock. Prints a space when
    /// it is ready.
    Await(u32),
    /// From a refusal, by way of a free, to the next grant: the time by the clock.
    Recover,
    /// The device's name, and the versions of CUDA and of the driver, in one line: no numbers.
    Device,
    /// Asks for too much COUNT times: how often the answer and all after it were as they should be.
    Pressure,
    /// Takes all in pieces of many sizes and gives every other one back: what is said to be free then, the largest request that is
    /// granted, and the largest one before and after it, in bytes.
    Holes,
    /// From `cuInit` to the first allocation, once, after the end of standard input: the time and the processor time. Prints a
    /// space when it is ready.
    Start,
    /// As `Start`, then idle until standard input ends.
    Stay,
    /// `cuCtxCreate` and `cuCtxDestroy`: the time by the clock.
    Contexts,
    /// `cuCtxSetCurrent` and a launch, in two contexts by turns.
    Switches,
    /// `cuLaunchKernel`.
    Launch,
    /// `cuLaunchKernel` in bursts, each of which is waited for while nothing is timed: on a device that takes longer for a kernel
    /// than its driver for a launch, launches would wait for room.
    Bursts,
    /// Launches now and then, until standard input ends.
    Hum,
    /// Kernels of so many microseconds, launched in batches of which each is waited for: the time by the clock that one took, and
    /// the processor time that other threads of the process had meanwhile.
    Kernels {
        /// Microseconds that a kernel takes.
        us: u32,
        /// Kernels of a batch.
        batch: u32,
    },
    /// A graph of so many kernels of 10 microseconds, launched and waited for COUNT times: the same two numbers of a launch.
    Replays {
        /// Kernels of the graph.
        kernels: u32,
    },
    /// COUNT steps of a training loop: so many launches of kernels of 5 to 40 microseconds, waited for, and then a time in which the
    /// host works by itself. The same two numbers of a step.
    Steps {
        /// Launches of a step.
        launches: u32,
    },
    /// Kernels without a gap for COUNT milliseconds, after the end of standard input: when each 2 ms of them were done, in
    /// nanoseconds from then on. Prints a space when it is ready.
    Stream {
        /// Microseconds that a kernel takes.
        us: u32,
    },
    /// The same until standard input ends. Prints a number when it begins.
    Greedy {
        /// Microseconds that a kernel takes.
        us: u32,
    },
    /// COUNT requests with pauses between them: the time by the clock that each took.
    Requests {
        /// Microseconds that a kernel takes.
        us: u32,
        /// Kernels of a request.
        kernels: u32,
    },
    /// COUNT kernels of 1 ms in each of so many streams, which all have room at once: the time for one stream after another,
    /// and for all at once.
    Abreast {
        /// Streams, and the part of the device that a kernel has.
        streams: u32,
    },
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
    /// The profile of the simulated driver that it is done on: one that does nothing, one whose device is in the process, or one
    /// whose device is the machine's.
    pub const fn driver(self) -> &'static str {
        match self {
            Self::Report
            | Self::Pair(_)
            | Self::Turnover(_)
            | Self::Race
            | Self::Halves
            | Self::Refusal
            | Self::Grant
            | Self::Start
            | Self::Stay
            | Self::Switches
            | Self::Launch
            | Self::Hum
            | Self::Pace => "null",
            Self::Kernels { .. } | Self::Replays { .. } | Self::Steps { .. } => "timed",
            _ => "550",
        }
    }
}

/// What the program allocates at a time.
const SIZE: usize = 1 << 20;

/// Does `work` and prints the nanoseconds one of `count` took.
pub fn run(work: Work, count: u32) -> Result<()> {
    match work {
        Work::Report => memory::report(count),
        Work::Pair(live) => memory::pair(live, count),
        Work::Turnover(live) => memory::turnover(live, count),
        Work::Race => memory::race(count),
        Work::Halves => memory::halves(count),
        Work::Refusal => memory::refusal(count),
        Work::Grant => memory::grant(count),
        Work::Mistake => memory::mistake(count),
        Work::Used => memory::used(),
        Work::Device => device(),
        Work::Fill => memory::fill(count),
        Work::Hold(mib) => memory::hold(mib),
        Work::Await(mib) => memory::wait(mib),
        Work::Recover => memory::recover(count),
        Work::Pressure => memory::pressure(count),
        Work::Holes => memory::holes(),
        Work::Start => start(),
        Work::Stay => stay(),
        Work::Contexts => contexts::create(count),
        Work::Switches => contexts::switch(count),
        Work::Stream { us } => streams::stream(us, count),
        Work::Greedy { us } => streams::greedy(us),
        Work::Requests { us, kernels } => streams::requests(us, kernels, count),
        Work::Abreast { streams } => streams::abreast(streams, count),
        Work::Launch => launches::launch(count),
        Work::Bursts => launches::bursts(count),
        Work::Hum => launches::hum(),
        Work::Kernels { us, batch } => programs::kernels(us, batch, count),
        Work::Replays { kernels } => programs::replays(kernels, count),
        Work::Steps { launches } => programs::steps(launches, count),
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

fn device() -> Result<()> {
    driver::start(0)?;
    let (name, version) = (identity::name(0)?, identity::version()?);
    let driver = identity::driver().unwrap_or_else(|| "that no NVML names".to_owned());
    Ok(writeln!(
        std::io::stdout(),
        "{name}, CUDA {}.{}, driver {driver}",
        version / 1000,
        version % 1000 / 10
    )?)
}

fn stay() -> Result<()> {
    driver::start(0)?;
    driver::allocate(SIZE)?;
    print(0)?;
    wait_for_parent()
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
    print_numbers(&[nanoseconds])
}

pub(crate) fn print_both(first: Duration, second: Duration) -> Result<()> {
    print_numbers(&[first.as_nanos(), second.as_nanos()])
}

/// Prints numbers in one line, at once.
pub(crate) fn print_numbers(numbers: &[u128]) -> Result<()> {
    let mut line = String::new();
    numbers.iter().try_for_each(|number| write!(line, "{number} "))?;
    Ok(writeln!(std::io::stdout(), "{}", line.trim_end())?)
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

/// Does `work`, which asks whether standard input has ended.
pub(crate) fn until_parent(work: impl FnOnce(&dyn Fn() -> bool) -> Result<(), Failure>) -> Result<()> {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // What cannot be read has ended, too.
            let _ = wait_for_parent();
            is_over.store(true, Relaxed);
        });
        Ok(work(&|| is_over.load(Relaxed))?)
    })
}
