//! Linear memory.

use crate::calls::{
    MIB, NOWHERE, UNKNOWN, allocate, call, context, empty, free, get, in_a_thread, memory, must,
};
use crate::report::Report;
use cuda_sys::CUresult;
use sim_apps::Failure;
use std::ptr::null_mut;

/// What outputs hold before a call.
const UNTOUCHED: u64 = 0x5a5a_5a5a;

/// The alignment that the documentation promises.
const ALIGNMENT: u64 = 256;

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    let context = context()?;
    granted(report)?;
    refused(report)?;
    wrong_addresses(report)?;
    elsewhere(report)?;
    left(report)?;
    first_versions(report)?;
    let kept = allocate(MIB)?;
    must!(cuCtxDestroy_v2(context))?;
    let _other = crate::calls::context()?;
    report.expect_refusal("gone with its context", call!(cuMemFree_v2(kept)));
    Ok(())
}

fn granted(report: &mut Report) -> Result<(), Failure> {
    for bytes in [1, 511, 4096, MIB + 1, 4 * MIB] {
        let address = allocate(bytes)?;
        let is_right = address != NOWHERE && address % ALIGNMENT == 0;
        report.check(format_args!("address of {bytes} bytes"), is_right, format_args!("{address:#x}"));
        let (mut base, mut size) = (0, 0);
        must!(cuMemGetAddressRange_v2(&raw mut base, &raw mut size, address))?;
        let is_right = base == address && size >= bytes;
        report.check(format_args!("range of {bytes} bytes"), is_right, format_args!("{size} at {base:#x}"));
        report.expect(format_args!("freeing {bytes} bytes"), call!(cuMemFree_v2(address)), CUresult::SUCCESS);
    }
    let (one, other) = (allocate(MIB)?, allocate(MIB)?);
    report.check(
        "two do not overlap",
        one.abs_diff(other) >= MIB as u64,
        format_args!("{one:#x} {other:#x}"),
    );
    free(one)?;
    free(other)
}

fn refused(report: &mut Report) -> Result<(), Failure> {
    let mut address = UNTOUCHED;
    report.expect("for nobody", call!(cuMemAlloc_v2(null_mut(), 4096)), CUresult::INVALID_VALUE);
    report.expect("no bytes", call!(cuMemAlloc_v2(&raw mut address, 0)), CUresult::INVALID_VALUE);
    let (_, total) = memory()?;
    let code = call!(cuMemAlloc_v2(&raw mut address, total + 1));
    report.expect("more than there is", code, CUresult::OUT_OF_MEMORY);
    report.expect_refusal("more than can be", call!(cuMemAlloc_v2(&raw mut address, usize::MAX)));
    report.check("nothing is written by a refusal", address == UNTOUCHED, format_args!("{address:#x}"));
    let small = call!(cuMemAlloc_v2(&raw mut address, 4096));
    report.expect("a refusal is forgotten", small, CUresult::SUCCESS);
    free(address)
}

fn wrong_addresses(report: &mut Report) -> Result<(), Failure> {
    report.expect("freeing nothing", call!(cuMemFree_v2(NOWHERE)), CUresult::SUCCESS);
    report.expect("freeing an unknown address", call!(cuMemFree_v2(UNKNOWN)), CUresult::INVALID_VALUE);
    let address = allocate(MIB)?;
    report.expect("freeing the inside", call!(cuMemFree_v2(address + 4096)), CUresult::INVALID_VALUE);
    report.expect("freeing once", call!(cuMemFree_v2(address)), CUresult::SUCCESS);
    report.expect("freeing twice", call!(cuMemFree_v2(address)), CUresult::INVALID_VALUE);
    let mut base = empty();
    let code = call!(cuMemGetAddressRange_v2(&raw mut base, null_mut(), UNKNOWN));
    report.expect_refusal("range of an unknown address", code);
    Ok(())
}

fn elsewhere(report: &mut Report) -> Result<(), Failure> {
    let home = get!(cuCtxGetCurrent(_))?;
    let address = allocate(MIB)?;
    let freed = in_a_thread(Some(home), || call!(cuMemFree_v2(address)));
    report.expect("freed by another thread", freed, CUresult::SUCCESS);
    let address = allocate(MIB)?;
    let freed = in_a_thread(None, || call!(cuMemFree_v2(address)));
    report.fact("code of a free in a thread without a context", freed.0);
    if !freed.is_success() {
        free(address)?;
    }
    let address = allocate(MIB)?;
    let other = get!(cuCtxCreate_v2(_, 0, 0))?;
    report.expect("freed under another context", call!(cuMemFree_v2(address)), CUresult::SUCCESS);
    must!(cuCtxDestroy_v2(other))?;
    must!(cuCtxSetCurrent(home))
}

/// Other processes of the card may change what is left at any time, so that is not judged.
fn left(report: &mut Report) -> Result<(), Failure> {
    let (before, total) = memory()?;
    report.check("no more left than there is", before <= total, format_args!("{before} of {total}"));
    let (mut free_alone, mut total_alone) = (0, 0);
    let [only_free, only_total] = [
        call!(cuMemGetInfo_v2(&raw mut free_alone, null_mut())),
        call!(cuMemGetInfo_v2(null_mut(), &raw mut total_alone)),
    ];
    let codes = format!("{} {}", only_free.0, only_total.0);
    report.fact("codes of memory left: free alone, total alone", codes);
    let is_right = !only_total.is_success() || total_alone == total;
    report.check("total alone", is_right, total_alone);
    let address = allocate(4 * MIB)?;
    let (after, _) = memory()?;
    report.fact("bytes that 4 MiB take", before.saturating_sub(after));
    free(address)?;
    let address = allocate(1)?;
    let (after, _) = memory()?;
    report.fact("bytes that one byte takes", before.saturating_sub(after));
    free(address)
}

/// Addresses of 32 bits: not every card has memory for them.
fn first_versions(report: &mut Report) -> Result<(), Failure> {
    let mut address = empty();
    let code = call!(cuMemAlloc(&raw mut address, 4096));
    report.fact("code of the first cuMemAlloc", code.0);
    if code.is_success() {
        report.fact("code of the first cuMemFree", call!(cuMemFree(address)).0);
    }
    report.expect_refusal("the first cuMemAlloc of no bytes", call!(cuMemAlloc(&raw mut address, 0)));
    Ok(())
}
