//! Graphs that allocate, and captures.

use crate::calls::{MIB, NOWHERE, UNKNOWN, call, context, empty, first_device, get, must};
use crate::report::Report;
use cuda_sys::{
    CUdevice_attribute, CUevent, CUgraph, CUgraphExec, CUgraphMem_attribute as Attribute, CUresult, CUstream,
    CUstreamCaptureMode as Mode,
};
use sim_apps::Failure;
use std::ptr::{from_mut, null};

const NON_BLOCKING: u32 = 1;
const DISABLE_TIMING: u32 = 2;
const AUTO_FREE: u64 = 1;

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    context()?;
    if get!(cuDeviceGetAttribute(_, CUdevice_attribute::MEMORY_POOLS_SUPPORTED, first_device()))? == 0 {
        report.skip("everything", "this device has no pools");
        return Ok(());
    }
    let stream = get!(cuStreamCreate(_, NON_BLOCKING))?;
    launches(report, stream)?;
    left_allocated(report, stream)?;
    once(report, stream)?;
    captures(report, stream)?;
    joined(report, stream)
}

/// A captured allocation; freed in the capture if `frees`.
fn captured(stream: CUstream, frees: bool) -> Result<(CUgraph, u64), Failure> {
    must!(cuStreamBeginCapture_v2(stream, Mode::GLOBAL))?;
    let address = get!(cuMemAllocAsync(_, 4 * MIB, stream))?;
    must!(cuMemsetD8Async(address, 7, MIB, stream))?;
    if frees {
        must!(cuMemFreeAsync(address, stream))?;
    }
    let mut graph = empty();
    must!(cuStreamEndCapture(stream, &raw mut graph))?;
    Ok((graph, address))
}

fn ready(graph: CUgraph, flags: u64) -> Result<CUgraphExec, Failure> {
    get!(cuGraphInstantiateWithFlags(_, graph, flags))
}

fn amount(attribute: Attribute) -> Result<u64, Failure> {
    let mut value = 0_u64;
    must!(cuDeviceGetGraphMemAttribute(first_device(), attribute, from_mut(&mut value).cast()))?;
    Ok(value)
}

fn reserved() -> Result<u64, Failure> {
    amount(Attribute::RESERVED_MEM_CURRENT)
}

fn trim(stream: CUstream) -> Result<u64, Failure> {
    must!(cuStreamSynchronize(stream))?;
    must!(cuDeviceGraphMemTrim(first_device()))?;
    reserved()
}

fn launches(report: &mut Report, stream: CUstream) -> Result<(), Failure> {
    let before = reserved()?;
    let (graph, _) = captured(stream, true)?;
    let exec = ready(graph, 0)?;
    report.check("a graph takes no memory before its launch", reserved()? == before, reserved()?);
    must!(cuGraphLaunch(exec, stream))?;
    must!(cuStreamSynchronize(stream))?;
    let taken = reserved()?;
    report.check("a launch takes what is allocated", taken >= before + 4 * MIB as u64, taken);
    report.fact("reserved for 4 MiB", taken);
    let used = amount(Attribute::USED_MEM_CURRENT)?;
    report.check("what is mapped is used", used >= 4 * MIB as u64, used);
    must!(cuGraphLaunch(exec, stream))?;
    report.check("a second launch takes no more", reserved()? == taken, reserved()?);
    must!(cuStreamSynchronize(stream))?;
    must!(cuGraphExecDestroy(exec))?;
    must!(cuGraphDestroy(graph))?;
    report.check("it stays when the graph has ended", reserved()? == taken, reserved()?);
    let left = trim(stream)?;
    report.check("a trim gives it back", left == 0, left);
    let code = call!(cuDeviceGraphMemTrim(-1));
    report.expect("a device that is none", code, CUresult::INVALID_DEVICE);
    Ok(())
}

fn left_allocated(report: &mut Report, stream: CUstream) -> Result<(), Failure> {
    let (graph, address) = captured(stream, false)?;
    let exec = ready(graph, 0)?;
    must!(cuGraphLaunch(exec, stream))?;
    let code = call!(cuGraphLaunch(exec, stream));
    report.expect("a launch while the last one's memory is not freed", code, CUresult::INVALID_VALUE);
    let mut back = [0_u8; 16];
    must!(cuMemcpyDtoHAsync_v2(back.as_mut_ptr().cast(), address, back.len(), stream))?;
    must!(cuStreamSynchronize(stream))?;
    report.check("memory outlives its launch", back == [7; 16], "other bytes");
    report.check("a trim leaves it", trim(stream)? >= 4 * MIB as u64, reserved()?);
    report.expect("freed in a stream", call!(cuMemFreeAsync(address, stream)), CUresult::SUCCESS);
    must!(cuStreamSynchronize(stream))?;
    must!(cuGraphLaunch(exec, stream))?;
    must!(cuStreamSynchronize(stream))?;
    report.expect("freed without a stream", call!(cuMemFree_v2(address)), CUresult::SUCCESS);
    must!(cuGraphExecDestroy(exec))?;
    let exec = ready(graph, AUTO_FREE)?;
    for launch in ["first", "second", "third"] {
        let code = call!(cuGraphLaunch(exec, stream));
        report.expect(
            format_args!("{launch} launch that frees what the last one left"),
            code,
            CUresult::SUCCESS,
        );
    }
    must!(cuStreamSynchronize(stream))?;
    must!(cuMemFree_v2(address))?;
    must!(cuGraphExecDestroy(exec))?;
    must!(cuGraphDestroy(graph))?;
    let left = trim(stream)?;
    report.check("nothing is left", left == 0, left);
    Ok(())
}

fn once(report: &mut Report, stream: CUstream) -> Result<(), Failure> {
    let (graph, address) = captured(stream, true)?;
    let exec = ready(graph, 0)?;
    let (mut second, mut copy, mut node) = (empty::<CUgraphExec>(), empty::<CUgraph>(), empty());
    let code = call!(cuGraphInstantiateWithFlags(&raw mut second, graph, 0));
    report.expect_refusal("a second instantiation at once", code);
    report.expect_refusal("a copy", call!(cuGraphClone(&raw mut copy, graph)));
    for (what, address) in [("twice", address), ("of nobody", UNKNOWN), ("of nothing", NOWHERE)] {
        let code = call!(cuGraphAddMemFreeNode(&raw mut node, graph, null(), 0, address));
        report.expect(format_args!("a free {what}"), code, CUresult::INVALID_VALUE);
    }
    must!(cuGraphExecDestroy(exec))?;
    must!(cuGraphExecDestroy(ready(graph, 0)?))?;
    must!(cuGraphDestroy(graph))
}

/// A call that takes memory breaks off the captures that forbid it.
fn captures(report: &mut Report, stream: CUstream) -> Result<(), Failure> {
    for (mode, thread, disturbs) in [
        (Mode::GLOBAL, Mode::GLOBAL, true),
        (Mode::GLOBAL, Mode::RELAXED, false),
        (Mode::THREAD_LOCAL, Mode::THREAD_LOCAL, true),
        (Mode::RELAXED, Mode::GLOBAL, false),
    ] {
        must!(cuStreamBeginCapture_v2(stream, mode))?;
        let mut exchanged = thread;
        must!(cuThreadExchangeStreamCaptureMode(from_mut(&mut exchanged)))?;
        let mut address = empty();
        let code = call!(cuMemAlloc_v2(&raw mut address, MIB));
        must!(cuThreadExchangeStreamCaptureMode(from_mut(&mut exchanged)))?;
        let mut graph = empty();
        let ended = call!(cuStreamEndCapture(stream, &raw mut graph));
        let name = format!("memory for a thread of mode {} in a capture of mode {}", thread.0, mode.0);
        if disturbs {
            report.expect(&name, code, CUresult::STREAM_CAPTURE_UNSUPPORTED);
            report.expect(format_args!("{name}: its end"), ended, CUresult::STREAM_CAPTURE_INVALIDATED);
        } else {
            report.expect(&name, code, CUresult::SUCCESS);
            report.expect(format_args!("{name}: its end"), ended, CUresult::SUCCESS);
            must!(cuMemFree_v2(address))?;
            must!(cuGraphDestroy(graph))?;
        }
    }
    Ok(())
}

/// Streams join a capture by an event, and have to be waited for.
fn joined(report: &mut Report, stream: CUstream) -> Result<(), Failure> {
    let side: CUstream = get!(cuStreamCreate(_, NON_BLOCKING))?;
    let event: CUevent = get!(cuEventCreate(_, DISABLE_TIMING))?;
    let address = get!(cuMemAlloc_v2(_, MIB))?;
    for (name, comes_back, expected) in
        [("joined", true, CUresult::SUCCESS), ("not joined", false, CUresult::STREAM_CAPTURE_UNJOINED)]
    {
        must!(cuStreamBeginCapture_v2(stream, Mode::GLOBAL))?;
        must!(cuEventRecord(event, stream))?;
        must!(cuStreamWaitEvent(side, event, 0))?;
        must!(cuMemsetD8Async(address, 1, MIB, side))?;
        if comes_back {
            must!(cuEventRecord(event, side))?;
            must!(cuStreamWaitEvent(stream, event, 0))?;
        }
        let mut graph = empty();
        report.expect(name, call!(cuStreamEndCapture(stream, &raw mut graph)), expected);
    }
    must!(cuMemFree_v2(address))
}
