//! Copies and fills: what is written is what is read.

use crate::calls::{UNKNOWN, allocate, call, context, free, must};
use crate::report::Report;
use cuda_sys::CUdeviceptr;
use sim_apps::Failure;

const LENGTH: usize = 100_000;

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    context()?;
    let address = allocate(LENGTH)?;
    round_trip(report, address)?;
    on_the_device(report, address)?;
    fills(report, address)?;
    wrong_ranges(report, address);
    free(address)
}

/// Bytes that repeat late.
fn pattern() -> Vec<u8> {
    (0_u8..251).cycle().take(LENGTH).collect()
}

fn read(address: CUdeviceptr) -> Result<Vec<u8>, Failure> {
    let mut bytes = vec![0; LENGTH];
    must!(cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, LENGTH))?;
    Ok(bytes)
}

fn write(address: CUdeviceptr, bytes: &[u8]) -> Result<(), Failure> {
    must!(cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len()))
}

fn round_trip(report: &mut Report, address: CUdeviceptr) -> Result<(), Failure> {
    write(address, &pattern())?;
    report.check("there and back", read(address)? == pattern(), "other bytes");
    let part = [9_u8; 100];
    write(address + 1001, &part)?;
    let mut expected = pattern();
    expected[1001..1101].copy_from_slice(&part);
    report.check("to the middle", read(address)? == expected, "other bytes");
    Ok(())
}

fn on_the_device(report: &mut Report, address: CUdeviceptr) -> Result<(), Failure> {
    let other = allocate(LENGTH)?;
    write(address, &pattern())?;
    must!(cuMemcpyDtoD_v2(other, address, LENGTH))?;
    report.check("on the device", read(other)? == pattern(), "other bytes");
    must!(cuMemsetD8_v2(other, 0, LENGTH))?;
    must!(cuMemcpy(other, address, LENGTH))?;
    report.check("by addresses alone", read(other)? == pattern(), "other bytes");
    free(other)
}

fn fills(report: &mut Report, address: CUdeviceptr) -> Result<(), Failure> {
    must!(cuMemsetD8_v2(address, 0x11, LENGTH))?;
    report.check("filled with bytes", read(address)?.iter().all(|byte| *byte == 0x11), "other bytes");
    must!(cuMemsetD16_v2(address, 0x2233, LENGTH / 2))?;
    let expected = 0x2233_u16.to_le_bytes().repeat(LENGTH / 2);
    report.check("filled with 16 bits", read(address)? == expected, "other bytes");
    must!(cuMemsetD32_v2(address, 0x4455_6677, LENGTH / 4))?;
    let expected = 0x4455_6677_u32.to_le_bytes().repeat(LENGTH / 4);
    report.check("filled with 32 bits", read(address)? == expected, "other bytes");
    // Rows of 10 bytes, 100 bytes apart.
    must!(cuMemsetD8_v2(address, 0, LENGTH))?;
    must!(cuMemsetD2D8_v2(address, 100, 0xff, 10, LENGTH / 100))?;
    let expected = [[0xff; 10].as_slice(), [0; 90].as_slice()].concat().repeat(LENGTH / 100);
    report.check("filled in rows", read(address)? == expected, "other bytes");
    Ok(())
}

fn wrong_ranges(report: &mut Report, address: CUdeviceptr) {
    let mut bytes = [0_u8; 16];
    let here = bytes.as_mut_ptr().cast();
    report.expect_refusal("from an unknown address", call!(cuMemcpyDtoH_v2(here, UNKNOWN, 16)));
    report.expect_refusal("to an unknown address", call!(cuMemcpyHtoD_v2(UNKNOWN, here, 16)));
    report.expect_refusal("filling an unknown address", call!(cuMemsetD8_v2(UNKNOWN, 0, 16)));
    report.expect_refusal("filling 16 bits at an odd address", call!(cuMemsetD16_v2(address + 1, 0, 1)));
}
