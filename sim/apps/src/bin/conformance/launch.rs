//! Code: loaded, found and launched.

use crate::calls::{call, context, empty, get, must};
use crate::report::Report;
use cuda_sys::{CUfunction, CUmodule, CUresult, CUstream};
use sim_apps::Failure;
use std::ffi::CStr;
use std::ptr::null_mut;

/// A kernel that does nothing, for every GPU since Maxwell: the driver compiles it for the one it has.
const IMAGE: &CStr = c".version 6.0
.target sm_50
.address_size 64
.visible .entry nothing()
{
    ret;
}
";

const DEFAULT: CUstream = CUstream(null_mut());

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    context()?;
    let mut module = CUmodule(null_mut());
    let code = call!(cuModuleLoadData(&raw mut module, IMAGE.as_ptr().cast()));
    if !code.is_success() {
        report.skip("everything", format_args!("the driver takes no PTX here: code {}", code.0));
        return Ok(());
    }
    let kernel = get!(cuModuleGetFunction(_, module, c"nothing".as_ptr()))?;
    launches(report, kernel)?;
    wrong_launches(report, kernel);
    report.expect("unloaded", call!(cuModuleUnload(module)), CUresult::SUCCESS);
    let code = call!(cuModuleGetFunction(&mut empty(), CUmodule(null_mut()), c"nothing".as_ptr()));
    report.expect_refusal("a function of no module", code);
    Ok(())
}

fn launch(kernel: CUfunction, blocks: u32, threads: u32, stream: CUstream) -> CUresult {
    let none = null_mut();
    call!(cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, none, none))
}

fn launches(report: &mut Report, kernel: CUfunction) -> Result<(), Failure> {
    for (blocks, threads) in [(1, 1), (1000, 256), (1, 1024)] {
        let name = format!("{blocks} blocks of {threads} threads");
        report.expect(&name, launch(kernel, blocks, threads, DEFAULT), CUresult::SUCCESS);
    }
    report.expect("done after the wait", call!(cuCtxSynchronize()), CUresult::SUCCESS);
    let stream = get!(cuStreamCreate(_, 0))?;
    for _ in 0..100 {
        let code = launch(kernel, 1, 1, stream);
        if !code.is_success() {
            report.expect("many on a stream", code, CUresult::SUCCESS);
        }
    }
    report.expect("many on a stream", call!(cuStreamSynchronize(stream)), CUresult::SUCCESS);
    must!(cuStreamDestroy_v2(stream))
}

fn wrong_launches(report: &mut Report, kernel: CUfunction) {
    report.expect("no blocks", launch(kernel, 0, 1, DEFAULT), CUresult::INVALID_VALUE);
    report.expect("no threads", launch(kernel, 1, 0, DEFAULT), CUresult::INVALID_VALUE);
    report.expect("too many threads", launch(kernel, 1, 100_000, DEFAULT), CUresult::INVALID_VALUE);
    report.expect_refusal("no kernel", launch(CUfunction(null_mut()), 1, 1, DEFAULT));
    report.expect("works after wrong ones", launch(kernel, 1, 1, DEFAULT), CUresult::SUCCESS);
}
