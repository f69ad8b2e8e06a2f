//! What a context may be told to keep for its kernels.

use crate::calls::{MIB, call, context, empty, get, must};
use crate::report::Report;
use cuda_sys::{CUlimit, CUresult};
use sim_apps::Failure;

/// No limit of any driver.
const NONE: CUlimit = CUlimit(0x7fff);

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    context()?;
    let usual = get!(cuCtxGetLimit(_, CUlimit::STACK_SIZE))?;
    report.check("a stack", usual > 0, usual);
    for (name, limit, more) in [
        ("larger stacks", CUlimit::STACK_SIZE, usual * 2),
        ("a longer buffer for printing", CUlimit::PRINTF_FIFO_SIZE, 4 * MIB),
        ("a larger heap", CUlimit::MALLOC_HEAP_SIZE, 32 * MIB),
    ] {
        report.expect(name, call!(cuCtxSetLimit(limit, more)), CUresult::SUCCESS);
        let told: usize = get!(cuCtxGetLimit(_, limit))?;
        report.check(name, told >= more, told);
    }
    let before = free()?;
    must!(cuCtxSetLimit(CUlimit::STACK_SIZE, usual))?;
    let after = free()?;
    report.check("smaller stacks take no more memory", after >= before, before - after.min(before));
    report.expect_refusal("no such limit", call!(cuCtxSetLimit(NONE, 1)));
    report.expect_refusal("no such limit to tell", call!(cuCtxGetLimit(&mut empty(), NONE)));
    Ok(())
}

fn free() -> Result<usize, Failure> {
    let (mut free, mut total) = (0, 0);
    must!(cuMemGetInfo_v2(&raw mut free, &raw mut total))?;
    Ok(free)
}
