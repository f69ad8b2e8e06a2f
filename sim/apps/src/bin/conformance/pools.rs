//! Stream-ordered memory and its pools.

use crate::calls::{MIB, call, context, empty, first_device, get, must};
use crate::report::Report;
use cuda_sys::{CUdevice_attribute as Attribute, CUmemPool_attribute, CUmemoryPool, CUresult, CUstream};
use sim_apps::Failure;
use std::ptr::{from_mut, null_mut};

const DEFAULT: CUstream = CUstream(null_mut());

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    context()?;
    if get!(cuDeviceGetAttribute(_, Attribute::MEMORY_POOLS_SUPPORTED, first_device()))? == 0 {
        report.skip("everything", "this device has no pools");
        return Ok(());
    }
    let pool = get!(cuDeviceGetDefaultMemPool(_, first_device()))?;
    let current: CUmemoryPool = get!(cuDeviceGetMemPool(_, first_device()))?;
    report.check("the default pool is current at first", pool == current, "another one");
    let code = call!(cuMemAllocAsync(&mut empty(), 0, DEFAULT));
    report.expect("no bytes", code, CUresult::INVALID_VALUE);
    let address: u64 = get!(cuMemAllocAsync(_, MIB, DEFAULT))?;
    must!(cuMemsetD8Async(address, 0x5a, MIB, DEFAULT))?;
    let mut back = vec![0_u8; MIB];
    must!(cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), address, MIB))?;
    report.check(
        "memory of a pool keeps what is written",
        back.iter().all(|byte| *byte == 0x5a),
        "other bytes",
    );
    let (reserved, in_use) = (amount(pool, CUmemPool_attribute::RESERVED_MEM_CURRENT)?, used(pool)?);
    report.check("used", in_use >= MIB as u64, in_use);
    report.check("reserved for it", reserved >= in_use, reserved);
    report.expect("freed", call!(cuMemFreeAsync(address, DEFAULT)), CUresult::SUCCESS);
    must!(cuStreamSynchronize(DEFAULT))?;
    let left = used(pool)?;
    report.check("nothing is used after the free", left == 0, left);
    let left = amount(pool, CUmemPool_attribute::RESERVED_MEM_CURRENT)?;
    report.check("nothing stays reserved after a synchronisation", left == 0, left);
    report.expect("trimmed", call!(cuMemPoolTrimTo(pool, 0)), CUresult::SUCCESS);
    Ok(())
}

fn used(pool: CUmemoryPool) -> Result<u64, Failure> {
    amount(pool, CUmemPool_attribute::USED_MEM_CURRENT)
}

/// Of an attribute that is an amount.
fn amount(pool: CUmemoryPool, attribute: CUmemPool_attribute) -> Result<u64, Failure> {
    let mut value = 0_u64;
    must!(cuMemPoolGetAttribute(pool, attribute, from_mut(&mut value).cast()))?;
    Ok(value)
}
