//! The works that take and give back memory.

use super::{Clock, SIZE, print_each, print_numbers, wait_for_go, wait_for_parent};
use anyhow::{Result, bail, ensure};
use rustix::time::ClockId;
use sim_apps::{CUresult, Failure, driver};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

/// The pieces in which memory is taken from a device.
const PIECE: usize = 2 * MIB;

/// More than any limit leaves.
const TOO_MUCH: usize = 1 << 45;

/// How long memory of a dead process is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// `cuDeviceTotalMem`.
pub(super) fn report(count: u32) -> Result<()> {
    driver::start(0)?;
    print_each(count, || driver::total_memory(0).map(drop))
}

/// `cuMemAlloc` and `cuMemFree` together, beside so many live allocations.
pub(super) fn pair(live: u32, count: u32) -> Result<()> {
    driver::start(0)?;
    for _ in 0..live {
        driver::allocate(SIZE)?;
    }
    print_each(count, || driver::free(driver::allocate(SIZE)?))
}

/// The same, but what is freed was allocated so many allocations ago.
pub(super) fn turnover(live: u32, count: u32) -> Result<()> {
    driver::start(0)?;
    let held: Result<VecDeque<_>, _> = (0..live).map(|_| driver::allocate(SIZE)).collect();
    let mut held = held?;
    print_each(count, || {
        held.push_back(driver::allocate(SIZE)?);
        held.pop_front().map_or(Ok(()), driver::free)
    })
}

/// What is refused.
pub(super) fn refusal(count: u32) -> Result<()> {
    driver::start(0)?;
    print_each(count, || match driver::allocate(TOO_MUCH) {
        Err(failure) if failure.code == CUresult::OUT_OF_MEMORY => Ok(()),
        Err(failure) => Err(failure),
        Ok(_) => Err(Failure { call: "cuMemAlloc past the limit", code: CUresult::SUCCESS }),
    })
}

/// The same call where it is granted.
pub(super) fn grant(count: u32) -> Result<()> {
    driver::start(0)?;
    print_each(count, || driver::allocate(TOO_MUCH).map(drop))
}

/// `cuMemAlloc` and `cuMemFree`, each by itself: many of the one, then as many of the other, because a clock costs as much.
pub(super) fn halves(count: u32) -> Result<()> {
    const BATCH: u32 = 256;
    driver::start(0)?;
    let (mut allocating, mut freeing) = (Duration::ZERO, Duration::ZERO);
    let mut live = Vec::with_capacity(BATCH as usize);
    let batches = (count / BATCH).max(1);
    for _ in 0..batches {
        let begin = ClockId::ThreadCPUTime.now();
        for _ in 0..BATCH {
            live.push(driver::allocate(SIZE)?);
        }
        let middle = ClockId::ThreadCPUTime.now();
        live.drain(..).try_for_each(driver::free)?;
        allocating += middle - begin;
        freeing += ClockId::ThreadCPUTime.now() - middle;
    }
    let each = |time: Duration| time.as_nanos() / u128::from(batches * BATCH);
    print_numbers(&[each(allocating), each(freeing)])
}

/// Pairs of `cuMemAlloc` and `cuMemFree` beside others that do the same at the same time: the time by the clock.
pub(super) fn race(count: u32) -> Result<()> {
    driver::start(0)?;
    wait_for_go()?;
    let begin = Instant::now();
    for _ in 0..count {
        driver::free(driver::allocate(SIZE)?)?;
    }
    print_numbers(&[begin.elapsed().as_nanos() / u128::from(count.max(1))])
}

/// What cannot be freed.
pub(super) fn mistake(count: u32) -> Result<()> {
    driver::start(0)?;
    print_each(count, || match driver::free(8) {
        Err(Failure { code: CUresult::INVALID_VALUE, .. }) => Ok(()),
        Err(failure) => Err(failure),
        Ok(()) => Err(Failure { call: "cuMemFree of what is no address", code: CUresult::SUCCESS }),
    })
}

/// What the device holds, this process with it.
pub(super) fn used() -> Result<()> {
    driver::start(0)?;
    let (free, total) = driver::memory_info()?;
    print_numbers(&[total.saturating_sub(free) as u128])
}

/// Takes memory until it is refused, at most `most` MiB, says how much that was, and holds it.
pub(super) fn fill(most: u32) -> Result<()> {
    driver::start(0)?;
    let taken = take(PIECE, most as usize * MIB)?;
    let rest = take(1, 1)?;
    print_numbers(&[(taken.len() * PIECE + rest.len()) as u128])?;
    wait_for_parent()
}

/// Allocations of `bytes` each, until one is refused or `most` bytes are there.
fn take(bytes: usize, most: usize) -> Result<Vec<u64>> {
    let mut taken = Vec::new();
    while (taken.len() + 1) * bytes <= most {
        match driver::allocate(bytes) {
            Ok(address) => taken.push(address),
            Err(Failure { code: CUresult::OUT_OF_MEMORY, .. }) => break,
            Err(failure) => return Err(failure.into()),
        }
    }
    Ok(taken)
}

/// Holds so much until standard input ends.
pub(super) fn hold(mib: u32) -> Result<()> {
    driver::start(0)?;
    driver::allocate(mib as usize * MIB)?;
    print_numbers(&[0])?;
    wait_for_parent()
}

/// After the end of standard input, asks for so much until it is granted: the time by the clock.
pub(super) fn wait(mib: u32) -> Result<()> {
    driver::start(0)?;
    wait_for_go()?;
    let begin = Instant::now();
    while let Err(failure) = driver::allocate(mib as usize * MIB) {
        ensure!(failure.code == CUresult::OUT_OF_MEMORY, failure);
        if begin.elapsed() > PATIENCE {
            bail!("memory of a dead process was not given back within {} s", PATIENCE.as_secs());
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    print_numbers(&[begin.elapsed().as_nanos()])
}

/// From a refusal, by way of a free, to the next grant: the time by the clock of one of `count` times.
pub(super) fn recover(count: u32) -> Result<()> {
    driver::start(0)?;
    let mut taken = take(PIECE, usize::MAX)?;
    let mut time = Duration::ZERO;
    for _ in 0..count {
        ensure!(driver::allocate(PIECE).is_err(), "what was refused was granted the next time");
        let begin = Instant::now();
        if let Some(last) = taken.pop() {
            driver::free(last)?;
        }
        taken.push(driver::allocate(PIECE)?);
        time += begin.elapsed();
    }
    print_numbers(&[time.as_nanos() / u128::from(count.max(1))])
}

/// Asks for too much `count` times: how often the answer was exactly out of memory, with nothing written, and a launch worked
/// afterwards.
pub(super) fn pressure(count: u32) -> Result<()> {
    const UNTOUCHED: u64 = 0x5555_5555_5555_5555;
    driver::start(0)?;
    let (kernel, stream) = (driver::kernel(1)?, driver::stream()?);
    let mut exact = 0_u128;
    for _ in 0..count {
        let mut address = UNTOUCHED;
        let answer = driver::allocate_into(&mut address, TOO_MUCH);
        let is_refused = answer.is_err_and(|failure| failure.code == CUresult::OUT_OF_MEMORY);
        let is_healthy = driver::launch(kernel, stream).and_then(|()| driver::wait(stream)).is_ok();
        exact += u128::from(is_refused && address == UNTOUCHED && is_healthy);
    }
    print_numbers(&[exact])
}

/// Takes all there is in pieces of many sizes, and gives every other one back: what is said to be free then, the largest request
/// that is granted, and the largest one before and after all that, in bytes.
pub(super) fn holes() -> Result<()> {
    driver::start(0)?;
    let before = largest()?;
    let mut taken = Vec::new();
    for size in [1, 7, 2, 31, 3, 16, 5].into_iter().cycle() {
        match driver::allocate(size * PIECE) {
            Ok(address) => taken.push(address),
            Err(Failure { code: CUresult::OUT_OF_MEMORY, .. }) => break,
            Err(failure) => return Err(failure.into()),
        }
    }
    for address in taken.iter().step_by(2) {
        driver::free(*address)?;
    }
    let ((free, _), among) = (driver::memory_info()?, largest()?);
    for address in taken.iter().skip(1).step_by(2) {
        driver::free(*address)?;
    }
    print_numbers(&[free, among, before, largest()?].map(|bytes| bytes as u128))
}

/// The largest request that is granted, in whole pieces.
fn largest() -> Result<usize> {
    let (mut granted, mut refused) = (0, driver::memory_info()?.0 / PIECE + 1);
    while granted + 1 < refused {
        let middle = granted.midpoint(refused);
        match driver::allocate(middle * PIECE) {
            Ok(address) => {
                driver::free(address)?;
                granted = middle;
            }
            Err(Failure { code: CUresult::OUT_OF_MEMORY, .. }) => refused = middle,
            Err(failure) => return Err(failure.into()),
        }
    }
    Ok(granted * PIECE)
}
