//! The works that launch kernels.

use super::{Clock, print, print_both, print_each, until_parent, wait_for_go};
use anyhow::Result;
use rustix::time::ClockId;
use sim_apps::{CUfunction, CUstream, Failure, driver};
use std::time::{Duration, Instant};

/// Between two launches of a process that only hums.
const NOW_AND_THEN: Duration = Duration::from_millis(1);

/// How long a kernel of a process takes that keeps the device busy, and how many of them it launches before it waits.
const TOIL_US: u64 = 1000;
const TOIL_BATCH: u32 = 4;

/// `cuLaunchKernel` alone, after some in bursts, so that what they cost is known to who measures them.
pub(super) fn launch(count: u32) -> Result<()> {
    const BURSTS: u32 = 32;
    const BURST: u32 = 64;
    driver::start(0)?;
    let (kernel, stream) = (driver::kernel(1)?, driver::stream()?);
    for _ in 0..BURSTS {
        (0..BURST).try_for_each(|_| driver::launch(kernel, stream))?;
        std::thread::sleep(NOW_AND_THEN);
    }
    print_each(count, || driver::launch(kernel, stream))
}

/// The same in bursts that every queue has room for, each of them waited for while nothing is timed.
pub(super) fn bursts(count: u32) -> Result<()> {
    const BURST: u32 = 256;
    driver::start(0)?;
    let (kernel, stream) = (driver::kernel(1)?, driver::stream()?);
    let play = |bursts: u32| -> Result<Duration, Failure> {
        let mut time = Duration::ZERO;
        for _ in 0..bursts {
            let begin = ClockId::ThreadCPUTime.now();
            (0..BURST).try_for_each(|_| driver::launch(kernel, stream))?;
            time += ClockId::ThreadCPUTime.now() - begin;
            driver::wait(stream)?;
        }
        Ok(time)
    };
    let bursts = (count / BURST).max(1);
    play(bursts.div_ceil(10))?;
    print(play(bursts)?.as_nanos() / u128::from(bursts * BURST))
}

/// Launches every now and then, until standard input ends.
pub(super) fn hum() -> Result<()> {
    driver::start(0)?;
    let (kernel, stream) = (driver::kernel(1)?, driver::stream()?);
    driver::launch(kernel, stream)?;
    print(0)?;
    until_parent(|is_over| {
        while !is_over() {
            driver::launch(kernel, stream)?;
            std::thread::sleep(NOW_AND_THEN);
        }
        Ok(())
    })
}

/// Has launched, and does nothing for so many seconds.
pub(super) fn rest(seconds: u32) -> Result<()> {
    let _toil = ready()?;
    over(seconds, |end| {
        std::thread::sleep(end.saturating_duration_since(Instant::now()));
        Ok(())
    })
}

/// Keeps the device busy for so many seconds.
pub(super) fn toil(seconds: u32) -> Result<()> {
    let (kernel, stream) = ready()?;
    over(seconds, |end| {
        while Instant::now() < end {
            (0..TOIL_BATCH).try_for_each(|_| driver::launch(kernel, stream))?;
            driver::wait(stream)?;
        }
        Ok(())
    })
}

/// Launches once, and waits until all are ready.
fn ready() -> Result<(CUfunction, CUstream)> {
    driver::start(0)?;
    let (kernel, stream) = (driver::kernel(TOIL_US)?, driver::stream()?);
    driver::launch(kernel, stream)?;
    driver::wait(stream)?;
    wait_for_go()?;
    Ok((kernel, stream))
}

/// The same, on a driver that is done at once, as often as the device would be if it were shared with so many others.
pub(super) fn pace(seconds: u32) -> Result<()> {
    const SHARERS: u32 = 8;
    let turn = Duration::from_micros(TOIL_US) * TOIL_BATCH * SHARERS;
    let (kernel, stream) = ready()?;
    over(seconds, |end| {
        while Instant::now() < end {
            (0..TOIL_BATCH).try_for_each(|_| driver::launch(kernel, stream))?;
            driver::wait(stream)?;
            std::thread::sleep(turn);
        }
        Ok(())
    })
}

/// Prints the processor time that the process and this thread have while `work` goes on, to the end that it is told.
fn over(seconds: u32, work: impl FnOnce(Instant) -> Result<(), Failure>) -> Result<()> {
    let clocks = [ClockId::ProcessCPUTime, ClockId::ThreadCPUTime];
    let before = clocks.map(Clock::now);
    work(Instant::now() + Duration::from_secs(seconds.into()))?;
    let [process, thread] = clocks.map(Clock::now);
    let [process_before, thread_before] = before;
    print_both(process - process_before, thread - thread_before)
}
