//! Sleep and waking, as in vLLM: what lies at an address goes to the host, its memory is given up, and later other memory
//! is put at the same address.

use crate::memory::{Trouble, create, expect, fill, map, release, reserve, unmap, unreserve};
use cuda_sys::CUmemAllocationHandleType;
use sim_apps::{check, cuda};

const BLOCKS: usize = 4;

pub(crate) fn run(bytes: usize) -> Result<(), Trouble> {
    let size = (bytes / BLOCKS).next_multiple_of(2 << 20);
    let mut blocks = Vec::new();
    for _ in 0..BLOCKS {
        let (address, handle) = (reserve(size)?, create(size, CUmemAllocationHandleType::NONE)?);
        map(address, size, handle)?;
        blocks.push((address, handle));
    }
    for round in 1..=3 {
        for (address, _) in &blocks {
            fill(*address, round, size)?;
        }
        let mut saved = vec![0_u8; size];
        for (address, handle) in &blocks {
            // SAFETY: `saved` is valid for writing so many bytes.
            let code = unsafe { cuda::cuMemcpyDtoH_v2(saved.as_mut_ptr().cast(), *address, size) };
            check("cuMemcpyDtoH", code)?;
            unmap(*address, size)?;
            release(*handle)?;
        }
        println!("asleep");
        for (address, handle) in &mut blocks {
            *handle = create(size, CUmemAllocationHandleType::NONE)?;
            map(*address, size, *handle)?;
            // SAFETY: `saved` is valid for reading so many bytes.
            let code = unsafe { cuda::cuMemcpyHtoD_v2(*address, saved.as_ptr().cast(), size) };
            check("cuMemcpyHtoD", code)?;
            expect(*address, round, size)?;
        }
        println!("awake");
    }
    for (address, handle) in blocks {
        unmap(address, size)?;
        release(handle)?;
        unreserve(address, size)?;
    }
    Ok(())
}
