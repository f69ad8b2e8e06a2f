//! The works that are whole programs: they launch, wait for the device, and launch again.

use super::{Clock, print_numbers};
use anyhow::Result;
use rustix::time::ClockId;
use sim_apps::{Failure, driver};
use std::time::{Duration, Instant};

/// Microseconds that the kernels of a step take, by turns.
const STEP_US: [u64; 4] = [5, 10, 20, 40];

/// How long the host works by itself after each step: as long as to fetch a batch and to look at a loss.
const BETWEEN: Duration = Duration::from_micros(300);

/// Microseconds that each kernel of a graph takes.
const NODE_US: u64 = 10;

/// Kernels of `us` microseconds, `batch` at a time, each batch waited for: what each kernel took.
pub(super) fn kernels(us: u32, batch: u32, count: u32) -> Result<()> {
    driver::start(0)?;
    let (kernel, stream) = (driver::kernel(us.into())?, driver::stream()?);
    let batch = batch.max(1);
    timed((count / batch).max(1), batch, || {
        (0..batch).try_for_each(|_| driver::launch(kernel, stream))?;
        driver::wait(stream)
    })
}

/// A graph of so many kernels, launched and waited for: what each launch took.
pub(super) fn replays(kernels: u32, count: u32) -> Result<()> {
    driver::start(0)?;
    let (kernel, stream) = (driver::kernel(NODE_US)?, driver::stream()?);
    let graph = driver::graph(kernel, kernels)?;
    timed(count, 1, || {
        driver::launch_graph(graph, stream)?;
        driver::wait(stream)
    })
}

/// Steps of a training loop: what each took.
pub(super) fn steps(launches: u32, count: u32) -> Result<()> {
    driver::start(0)?;
    let kernels = STEP_US.map(driver::kernel);
    let stream = driver::stream()?;
    timed(count, 1, || {
        kernels
            .iter()
            .cycle()
            .take(launches as usize)
            .try_for_each(|kernel| driver::launch((*kernel)?, stream))?;
        driver::wait(stream)?;
        let begin = Instant::now();
        while begin.elapsed() < BETWEEN {
            std::hint::spin_loop();
        }
        Ok(())
    })
}

/// Prints the time by the clock that each of the `parts` of a turn took, and the processor time that threads beside this one had
/// meanwhile, after a tenth as many turns to warm up.
fn timed(turns: u32, parts: u32, mut turn: impl FnMut() -> Result<(), Failure>) -> Result<()> {
    (0..turns.div_ceil(10)).try_for_each(|_| turn())?;
    let others = || ClockId::ProcessCPUTime.now().saturating_sub(ClockId::ThreadCPUTime.now());
    let (begin, before) = (Instant::now(), others());
    (0..turns).try_for_each(|_| turn())?;
    let took = [begin.elapsed(), others().saturating_sub(before)];
    print_numbers(&took.map(|time| time.as_nanos() / u128::from(turns * parts)))
}
