//! The works that keep a device busy and look when what was launched is done.

use super::{print_numbers, until_parent, wait_for_go};
use anyhow::Result;
use sim_apps::{CUevent, CUfunction, CUstream, Failure, driver};
use std::time::{Duration, Instant};

/// How much is launched at a time, at least.
const BATCH_US: u32 = 2000;

/// How much is in the queue: for so long a busy machine may keep the process from its processor without a gap on the device.
const QUEUE_US: u32 = 40_000;

/// Between two requests.
const PAUSE: Duration = Duration::from_millis(5);

/// Kernels of `us` microseconds, without a gap, for `count` milliseconds after the end of standard input: when each 2 ms of
/// them were done, in nanoseconds from then on.
pub(super) fn stream(us: u32, count: u32) -> Result<()> {
    driver::start(0)?;
    let (kernel, stream) = (driver::kernel(us.into())?, driver::stream()?);
    wait_for_go()?;
    let begin = Instant::now();
    let end = begin + Duration::from_millis(count.into());
    let mut done = Vec::new();
    feed(kernel, stream, us, || {
        done.push(begin.elapsed().as_nanos());
        Instant::now() < end
    })?;
    print_numbers(&done)
}

/// The same until standard input ends.
pub(super) fn greedy(us: u32) -> Result<()> {
    driver::start(0)?;
    let (kernel, stream) = (driver::kernel(us.into())?, driver::stream()?);
    print_numbers(&[0])?;
    until_parent(|is_over| feed(kernel, stream, us, || !is_over()))
}

/// Keeps batches in the queue behind the one that runs, and asks at the end of each whether to go on.
fn feed(
    kernel: CUfunction,
    stream: CUstream,
    us: u32,
    mut go_on: impl FnMut() -> bool,
) -> Result<(), Failure> {
    let batch = (BATCH_US / us.max(1)).max(1);
    let ahead = (QUEUE_US / (batch * us.max(1))).max(2);
    let events = (0..ahead).map(|_| driver::event()).collect::<Result<Vec<_>, _>>()?;
    let launch = |event: &CUevent| -> Result<(), Failure> {
        (0..batch).try_for_each(|_| driver::launch(kernel, stream))?;
        driver::record(*event, stream)
    };
    events.iter().try_for_each(launch)?;
    for event in events.iter().cycle() {
        driver::wait_for(*event)?;
        if !go_on() {
            break;
        }
        launch(event)?;
    }
    driver::wait(stream)
}

/// Requests of so many kernels of `us` microseconds with pauses between them: how long each took, in nanoseconds.
pub(super) fn requests(us: u32, kernels: u32, count: u32) -> Result<()> {
    driver::start(0)?;
    let (kernel, stream) = (driver::kernel(us.into())?, driver::stream()?);
    let mut took = Vec::new();
    // The first ones are not known yet to whoever measures them.
    for _ in 0..count / 10 + count {
        let begin = Instant::now();
        (0..kernels).try_for_each(|_| driver::launch(kernel, stream))?;
        driver::wait(stream)?;
        took.push(begin.elapsed().as_nanos());
        std::thread::sleep(PAUSE);
    }
    print_numbers(took.get(count as usize / 10..).unwrap_or_default())
}

/// `count` kernels of 1 ms that need a part of the device in each of so many streams: the time for those of one stream after those
/// of another, and for all at once, in nanoseconds.
pub(super) fn abreast(streams: u32, count: u32) -> Result<()> {
    driver::start(0)?;
    let kernel = driver::kernel_on(1000, 1000 / streams.max(1))?;
    let streams = (0..streams).map(|_| driver::stream()).collect::<Result<Vec<_>, _>>()?;
    let launch = |stream: &CUstream| (0..count).try_for_each(|_| driver::launch(kernel, *stream));
    let wait = |stream: &CUstream| driver::wait(*stream);
    streams.iter().try_for_each(|stream| driver::launch(kernel, *stream).and_then(|()| wait(stream)))?;
    let begin = Instant::now();
    streams.iter().try_for_each(|stream| launch(stream).and_then(|()| wait(stream)))?;
    let one_by_one = begin.elapsed();
    let begin = Instant::now();
    streams.iter().try_for_each(launch)?;
    streams.iter().try_for_each(wait)?;
    print_numbers(&[one_by_one, begin.elapsed()].map(|time| time.as_nanos()))
}
