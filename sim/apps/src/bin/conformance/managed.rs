//! Managed memory.

use crate::calls::{MIB, call, context, empty, first_device, free, get, must};
use crate::report::Report;
use cuda_sys::{CUdevice_attribute as Attribute, CUresult};
use sim_apps::Failure;
use std::ptr::null_mut;

/// `CU_MEM_ATTACH_GLOBAL`
const GLOBAL: u32 = 1;

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    context()?;
    if get!(cuDeviceGetAttribute(_, Attribute::MANAGED_MEMORY, first_device()))? == 0 {
        report.skip("everything", "this device has no managed memory");
        return Ok(());
    }
    let mut address = empty();
    let code = call!(cuMemAllocManaged(null_mut(), MIB, GLOBAL));
    report.expect("for nobody", code, CUresult::INVALID_VALUE);
    let code = call!(cuMemAllocManaged(&raw mut address, 0, GLOBAL));
    report.expect("no bytes", code, CUresult::INVALID_VALUE);
    let code = call!(cuMemAllocManaged(&raw mut address, MIB, 77));
    report.expect("unknown flags", code, CUresult::INVALID_VALUE);
    let address = get!(cuMemAllocManaged(_, MIB, GLOBAL))?;
    written_by_both(report, address)?;
    report.expect("freed", call!(cuMemFree_v2(address)), CUresult::SUCCESS);
    report.expect("freed twice", call!(cuMemFree_v2(address)), CUresult::INVALID_VALUE);
    let kept = get!(cuMemAllocManaged(_, MIB, GLOBAL))?;
    free(kept)
}

/// What the device writes the program reads, and the other way round.
fn written_by_both(report: &mut Report, address: u64) -> Result<(), Failure> {
    must!(cuMemsetD8_v2(address, 0x5a, MIB))?;
    must!(cuCtxSynchronize())?;
    let Ok(on_the_host) = usize::try_from(address) else { return Ok(()) };
    let bytes = std::ptr::with_exposed_provenance_mut::<u8>(on_the_host);
    // SAFETY: managed memory of that length, which the device has done with and nobody else knows.
    let bytes = unsafe { std::slice::from_raw_parts_mut(bytes, MIB) };
    report.check("read after the device wrote", bytes.iter().all(|byte| *byte == 0x5a), "other bytes");
    bytes.fill(0xa5);
    let mut back = vec![0_u8; MIB];
    must!(cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), address, MIB))?;
    report.check("copied after the program wrote", back.iter().all(|byte| *byte == 0xa5), "other bytes");
    Ok(())
}
