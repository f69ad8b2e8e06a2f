//! Green contexts.

use crate::calls::{MIB, call, first_device, get, must};
use crate::report::Report;
use cuda_sys::{CUcontext, CUdevResource, CUdevResourceDesc, CUdevSmResource, CUgreenCtx, CUresult};
use sim_apps::Failure;
use std::ptr::null_mut;

/// `CU_DEV_RESOURCE_TYPE_SM`
const MULTIPROCESSORS: u32 = 1;
/// `CU_GREEN_CTX_DEFAULT_STREAM`
const DEFAULT_STREAM: u32 = 1;

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    must!(cuInit(0))?;
    let Some(mut whole) = resource(report) else { return Ok(()) };
    report.check("multiprocessors", whole.sm.smCount > 0, whole.sm.smCount);
    let (mut groups, least) = (0, whole.sm.smCount + 1);
    let split = call!(cuDevSmResourceSplitByCount(
        null_mut(),
        &raw mut groups,
        &raw const whole,
        null_mut(),
        0,
        least
    ));
    report.expect_refusal("more multiprocessors than there are", split);
    let mut desc = CUdevResourceDesc(null_mut());
    must!(cuDevResourceGenerateDesc(&raw mut desc, &raw mut whole, 1))?;
    let mut green = CUgreenCtx(null_mut());
    let code = call!(cuGreenCtxCreate(&raw mut green, desc, first_device(), DEFAULT_STREAM));
    report.expect("created", code, CUresult::SUCCESS);
    if !code.is_success() {
        return Ok(());
    }
    report.check("the primary context is alive", is_primary_active()?, "it is not");
    let context: CUcontext = get!(cuCtxFromGreenCtx(_, green))?;
    must!(cuCtxSetCurrent(context))?;
    let address: u64 = get!(cuMemAlloc_v2(_, MIB))?;
    report.expect("its memory is freed", call!(cuMemFree_v2(address)), CUresult::SUCCESS);
    must!(cuCtxSetCurrent(CUcontext(null_mut())))?;
    report.expect("destroyed", call!(cuGreenCtxDestroy(green)), CUresult::SUCCESS);
    report.check("and the primary context with it", !is_primary_active()?, "it is alive");
    Ok(())
}

fn is_primary_active() -> Result<bool, Failure> {
    let (mut flags, mut active) = (0, 0);
    must!(cuDevicePrimaryCtxGetState(first_device(), &raw mut flags, &raw mut active))?;
    Ok(active != 0)
}

/// All multiprocessors of the first device, where the driver has green contexts.
fn resource(report: &mut Report) -> Option<CUdevResource> {
    let sm = CUdevSmResource { smCount: 0, minSmPartitionSize: 0, smCoscheduledAlignment: 0, flags: 0 };
    let mut whole = CUdevResource { kind: 0, _internal_padding: [0; 92], sm, rest: [0; 8] };
    let code = call!(cuDeviceGetDevResource(first_device(), &raw mut whole, MULTIPROCESSORS));
    if !code.is_success() {
        report.skip("everything", format_args!("the driver divides no device: code {}", code.0));
        return None;
    }
    Some(whole)
}
