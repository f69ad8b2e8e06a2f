//! Streams and events.

use crate::calls::{MIB, allocate, call, context, free, get, must};
use crate::report::Report;
use cuda_sys::{CUevent, CUresult, CUstream};
use sim_apps::Failure;
use std::ptr::null_mut;

const DEFAULT: CUstream = CUstream(null_mut());

/// `CU_STREAM_NON_BLOCKING`
const NON_BLOCKING: u32 = 1;

/// `CU_EVENT_DISABLE_TIMING`
const NO_TIME: u32 = 2;

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    context()?;
    report.expect("the default one is idle", call!(cuStreamQuery(DEFAULT)), CUresult::SUCCESS);
    report.expect("a stream for nobody", call!(cuStreamCreate(null_mut(), 0)), CUresult::INVALID_VALUE);
    for flags in [0, NON_BLOCKING] {
        let stream = get!(cuStreamCreate(_, flags))?;
        work_in_order(report, stream, flags)?;
        report.expect(
            format_args!("{flags}/destroyed"),
            call!(cuStreamDestroy_v2(stream)),
            CUresult::SUCCESS,
        );
    }
    events(report)
}

/// Work that is queued is done when the stream has been waited for, the last of it last.
fn work_in_order(report: &mut Report, stream: CUstream, flags: u32) -> Result<(), Failure> {
    let address = allocate(MIB)?;
    let mut back = vec![0_u8; MIB];
    must!(cuMemsetD8Async(address, 1, MIB, stream))?;
    must!(cuMemsetD8Async(address, 2, MIB, stream))?;
    must!(cuMemcpyDtoHAsync_v2(back.as_mut_ptr().cast(), address, MIB, stream))?;
    must!(cuStreamSynchronize(stream))?;
    report.check(format_args!("{flags}/in order"), back.iter().all(|byte| *byte == 2), "other bytes");
    report.expect(
        format_args!("{flags}/idle after the wait"),
        call!(cuStreamQuery(stream)),
        CUresult::SUCCESS,
    );
    let mut told = u32::MAX;
    must!(cuStreamGetFlags(stream, &raw mut told))?;
    report.check(format_args!("{flags}/flags"), told == flags, told);
    free(address)
}

fn events(report: &mut Report) -> Result<(), Failure> {
    report.expect("an event for nobody", call!(cuEventCreate(null_mut(), 0)), CUresult::INVALID_VALUE);
    let (start, end) = (get!(cuEventCreate(_, 0))?, get!(cuEventCreate(_, 0))?);
    report.expect("not recorded, it is over", call!(cuEventQuery(start)), CUresult::SUCCESS);
    must!(cuEventRecord(start, DEFAULT))?;
    must!(cuEventRecord(end, DEFAULT))?;
    must!(cuEventSynchronize(end))?;
    report.expect("over after the wait", call!(cuEventQuery(end)), CUresult::SUCCESS);
    let time = get!(cuEventElapsedTime(_, start, end))?;
    report.check("time between two", (0.0..10_000.0).contains(&time), time);
    let timeless = get!(cuEventCreate(_, NO_TIME))?;
    must!(cuEventRecord(timeless, DEFAULT))?;
    must!(cuEventSynchronize(timeless))?;
    let mut time = 0.0;
    let code = call!(cuEventElapsedTime(&raw mut time, start, timeless));
    report.expect("no time of one without", code, CUresult::INVALID_HANDLE);
    let stream = get!(cuStreamCreate(_, NON_BLOCKING))?;
    report.expect("waited for by a stream", call!(cuStreamWaitEvent(stream, end, 0)), CUresult::SUCCESS);
    must!(cuStreamSynchronize(stream))?;
    must!(cuStreamDestroy_v2(stream))?;
    [start, end, timeless].into_iter().try_for_each(|event: CUevent| must!(cuEventDestroy_v2(event)))
}
