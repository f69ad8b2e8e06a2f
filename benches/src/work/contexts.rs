//! The works that are about contexts.

use super::{print_each, print_numbers};
use anyhow::Result;
use sim_apps::driver;
use std::time::Instant;

/// `cuCtxCreate` and `cuCtxDestroy` beside a primary context: the time by the clock.
pub(super) fn create(count: u32) -> Result<()> {
    driver::start(0)?;
    driver::destroy_context(driver::create_context(0)?)?;
    let begin = Instant::now();
    for _ in 0..count {
        driver::destroy_context(driver::create_context(0)?)?;
    }
    print_numbers(&[begin.elapsed().as_nanos() / u128::from(count.max(1))])
}

/// `cuCtxSetCurrent` and a launch, in two contexts by turns.
pub(super) fn switch(count: u32) -> Result<()> {
    driver::start(0)?;
    let make = || -> Result<_> { Ok((driver::create_context(0)?, driver::kernel(1)?, driver::stream()?)) };
    let mut turns = [make()?, make()?].into_iter().cycle();
    print_each(count, || {
        let Some((context, kernel, stream)) = turns.next() else { return Ok(()) };
        driver::set_context(context)?;
        driver::launch(kernel, stream)
    })
}
