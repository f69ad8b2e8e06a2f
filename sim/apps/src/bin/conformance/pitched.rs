//! Pitched memory.

use crate::calls::{call, context, empty, free};
use crate::report::Report;
use cuda_sys::{CUdeviceptr, CUresult};
use sim_apps::Failure;
use std::ptr::null_mut;

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    context()?;
    for width in [1, 100, 512, 513, 5000] {
        let (code, address, pitch) = allocate(width, 10, 4);
        let is_right = code.is_success() && address != 0 && pitch >= width && pitch % 4 == 0;
        report.check(
            format_args!("rows of {width} bytes"),
            is_right,
            format_args!("code {}, pitch {pitch}", code.0),
        );
        report.fact(format_args!("pitch of {width} bytes"), pitch);
        if code.is_success() {
            free(address)?;
        }
    }
    for (name, (width, height, element)) in
        [("rows of nothing", (0, 10, 4)), ("no rows", (10, 0, 4)), ("elements of 3 bytes", (10, 10, 3))]
    {
        report.fact(format_args!("code of {name}"), allocate(width, height, element).0.0);
    }
    let mut address = empty();
    let code = call!(cuMemAllocPitch_v2(&raw mut address, null_mut(), 10, 10, 4));
    report.expect_refusal("a pitch for nobody", code);
    let code = call!(cuMemAllocPitch_v2(null_mut(), &mut empty(), 10, 10, 4));
    report.expect_refusal("an address for nobody", code);
    report.expect_refusal("more than there is", allocate(1 << 40, 1 << 20, 4).0);
    Ok(())
}

fn allocate(width: usize, height: usize, element: u32) -> (CUresult, CUdeviceptr, usize) {
    let (mut address, mut pitch) = (empty(), empty());
    let code = call!(cuMemAllocPitch_v2(&raw mut address, &raw mut pitch, width, height, element));
    (code, address, pitch)
}
