//! Contexts: made, current, on a stack, and primary.

use crate::calls::{call, empty, first_device, get, in_a_thread, must};
use crate::report::Report;
use cuda_sys::{CUcontext, CUresult};
use sim_apps::Failure;
use std::ptr::null_mut;

const NONE: CUcontext = CUcontext(null_mut());

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    must!(cuInit(0))?;
    without_a_context(report)?;
    stack(report)?;
    threads(report)?;
    primary(report)?;
    wrong_calls(report);
    Ok(())
}

fn current() -> Result<CUcontext, Failure> {
    get!(cuCtxGetCurrent(_))
}

fn without_a_context(report: &mut Report) -> Result<(), Failure> {
    report.check("none at first", current()? == NONE, "one");
    let mut device = empty();
    report.expect("device of none", call!(cuCtxGetDevice(&raw mut device)), CUresult::INVALID_CONTEXT);
    let mut address = empty();
    report.expect("memory in none", call!(cuMemAlloc_v2(&raw mut address, 4096)), CUresult::INVALID_CONTEXT);
    let (mut free, mut total) = (0, 0);
    let code = call!(cuMemGetInfo_v2(&raw mut free, &raw mut total));
    report.expect("memory left in none", code, CUresult::INVALID_CONTEXT);
    report.expect("popping none", call!(cuCtxPopCurrent_v2(&mut empty())), CUresult::INVALID_CONTEXT);
    report.expect("waiting for none", call!(cuCtxSynchronize()), CUresult::INVALID_CONTEXT);
    Ok(())
}

fn stack(report: &mut Report) -> Result<(), Failure> {
    let first = get!(cuCtxCreate_v2(_, 0, first_device()))?;
    report.check("a new one is current", current()? == first, "another");
    report.check("its device", get!(cuCtxGetDevice(_))? == first_device(), "another");
    let second = get!(cuCtxCreate_v2(_, 0, first_device()))?;
    report.check("another is another", second != first, "the same");
    report.check("popped from the stack", get!(cuCtxPopCurrent_v2(_))? == second, "another");
    report.check("under it", current()? == first, "another");
    must!(cuCtxPushCurrent_v2(second))?;
    report.check("pushed on the stack", current()? == second, "another");
    must!(cuCtxSetCurrent(first))?;
    report.check("set in place of the top", current()? == first, "another");
    must!(cuCtxSetCurrent(second))?;
    report.expect("destroyed", call!(cuCtxDestroy_v2(second)), CUresult::SUCCESS);
    report.check("not current after its end", current()? != second, "still");
    must!(cuCtxSetCurrent(first))?;
    must!(cuCtxDestroy_v2(first))?;
    must!(cuCtxSetCurrent(NONE))?;
    report.check("none after the last", current()? == NONE, "one");
    Ok(())
}

fn threads(report: &mut Report) -> Result<(), Failure> {
    let context = get!(cuCtxCreate_v2(_, 0, first_device()))?;
    let other = in_a_thread(None, || call!(cuCtxSynchronize()));
    report.expect("another thread has none", other, CUresult::INVALID_CONTEXT);
    let shared = in_a_thread(Some(context), || call!(cuCtxSynchronize()));
    report.expect("shared with another thread", shared, CUresult::SUCCESS);
    must!(cuCtxDestroy_v2(context))
}

fn state() -> Result<(u32, i32), Failure> {
    let (mut flags, mut active) = (0, 0);
    must!(cuDevicePrimaryCtxGetState(first_device(), &raw mut flags, &raw mut active))?;
    Ok((flags, active))
}

fn primary(report: &mut Report) -> Result<(), Failure> {
    let inactive = state()?.1 == 0;
    report.check("the primary one is asleep at first", inactive, "awake");
    let released = call!(cuDevicePrimaryCtxRelease_v2(first_device()));
    report.expect_refusal("released though never retained", released);
    let primary = get!(cuDevicePrimaryCtxRetain(_, first_device()))?;
    report.check("retained, it is awake", state()?.1 == 1, "asleep");
    report.check("retained, it is not current", current()? != primary, "it is");
    let again = get!(cuDevicePrimaryCtxRetain(_, first_device()))?;
    report.check("retained again, it is the same", again == primary, "another");
    must!(cuDevicePrimaryCtxRelease_v2(first_device()))?;
    report.check("released once of twice, it is awake", state()?.1 == 1, "asleep");
    must!(cuCtxSetCurrent(primary))?;
    let address = get!(cuMemAlloc_v2(_, 4096))?;
    report.expect("reset", call!(cuDevicePrimaryCtxReset_v2(first_device())), CUresult::SUCCESS);
    report.check("reset, it is asleep", state()?.1 == 0, "awake");
    report.expect_refusal("memory of before the reset", call!(cuMemFree_v2(address)));
    must!(cuCtxSetCurrent(NONE))?;
    // Whether a reset drops the references is what drivers have changed their mind about.
    report.fact("code of a release after the reset", call!(cuDevicePrimaryCtxRelease_v2(first_device())).0);
    Ok(())
}

fn wrong_calls(report: &mut Report) {
    let nowhere = null_mut();
    report.expect("made for nobody", call!(cuCtxCreate_v2(nowhere, 0, 0)), CUresult::INVALID_VALUE);
    let mut context = NONE;
    let code = call!(cuCtxCreate_v2(&raw mut context, 0, 9999));
    report.expect("made on no device", code, CUresult::INVALID_DEVICE);
    report.check("nothing is written by a refusal", context == NONE, "a handle");
    report.expect_refusal("destroying none", call!(cuCtxDestroy_v2(NONE)));
    report.expect("primary for nobody", call!(cuDevicePrimaryCtxRetain(nowhere, 0)), CUresult::INVALID_VALUE);
    let code = call!(cuDevicePrimaryCtxRetain(&raw mut context, 9999));
    report.expect("primary of no device", code, CUresult::INVALID_DEVICE);
}
