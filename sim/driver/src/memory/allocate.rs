//! Allocation of device memory.

use cuda_sys::CUresult;
use sim_kernel::{AllocationRequest, Bytes, Location, Placement};

use crate::address::{Allocation, Home, Kind, Space};
use crate::context::{Context, Life};
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::{Driver, code};

/// Sizes in bytes that `cuMemAllocPitch` takes for an element.
const ELEMENT_SIZES: [u32; 3] = [4, 8, 16];

/// Allocates `bytes` of memory and gives its address.
pub(crate) fn allocate(driver: &Driver, context: &Context, bytes: usize, kind: Kind) -> Outcome<u64> {
    let bytes = Bytes(bytes as u64);
    let request = match kind {
        Kind::Managed => AllocationRequest::Managed { bytes },
        Kind::Code => AllocationRequest::Code { bytes },
        Kind::Device | Kind::Low | Kind::Array => AllocationRequest::Linear { bytes },
        // What another process has allocated is opened.
        Kind::Opened => return Err(CUresult::INVALID_VALUE),
    };
    if bytes == Bytes::ZERO {
        return Err(CUresult::INVALID_VALUE);
    }
    place(driver, context.life()?, request, kind).map(|(address, _)| address)
}

/// Allocates rows of memory and gives the address of the first and the distance between them, in bytes.
pub(crate) fn allocate_pitched(
    driver: &Driver,
    context: &Context,
    (row, rows): (usize, usize),
    element: u32,
    kind: Kind,
) -> Outcome<(u64, u64)> {
    if row == 0 || rows == 0 || !ELEMENT_SIZES.contains(&element) {
        return Err(CUresult::INVALID_VALUE);
    }
    let request = AllocationRequest::Pitched { row: Bytes(row as u64), rows: rows as u64 };
    let (address, placement) = place(driver, context.life()?, request, kind)?;
    Ok((address, placement.pitch.0))
}

/// The address space stays locked from the machine's answer to the entry in the table, so that another thread's free
/// of the same slab cannot come between.
fn place(driver: &Driver, life: Life, request: AllocationRequest, kind: Kind) -> Outcome<(u64, Placement)> {
    let mut space = lock(&driver.space);
    let placement = driver.client.allocate(life.id, request).map_err(code)?;
    if let Some(address) = space.insert(&placement, life.id, kind) {
        return Ok((address, placement));
    }
    driver.client.free(placement.id).map_err(code)?;
    Err(CUresult::OUT_OF_MEMORY)
}

/// Frees the allocation that starts at `address`, of whichever context; null is nothing to free. Waits for the work of
/// the current context first, as the real call does.
pub(crate) fn free(driver: &Driver, context: &Context, address: u64) -> Outcome {
    if address == 0 {
        return Ok(());
    }
    let found = lock(&driver.space).starting_at(address).map(|allocation| (allocation.home, allocation.kind));
    let Some((home, kind)) = found else { return super::free_of_host_pool(driver, address) };
    match (kind, home) {
        (Kind::Code | Kind::Array, _) | (Kind::Opened, Home::Context(_)) => {
            return Err(CUresult::INVALID_VALUE);
        }
        (Kind::Opened, _) => return super::close(driver, address),
        _ => {}
    }
    if let Home::Graph { .. } = home {
        return super::free_of_graph(driver, address, None);
    }
    // Of a pool's memory the real call takes for granted that nobody uses it any more.
    if let Home::Context(_) = home {
        context.synchronize(driver)?;
    }
    release(driver, address)
}

/// Allocates a variable of a module, which holds `contents` and then zeros, and gives its address.
pub(crate) fn allocate_code(driver: &Driver, life: Life, bytes: usize, contents: &[u8]) -> Outcome<u64> {
    let address = place_code(driver, life, bytes)?;
    let place = lock(&driver.space).contents(address, bytes as u64).ok_or(CUresult::INVALID_VALUE)?;
    let given = contents.len().min(bytes);
    // SAFETY: the contents of an allocation of so many bytes that nobody else knows yet.
    unsafe { place.copy_from_nonoverlapping(contents.as_ptr(), given) };
    // SAFETY: as above; a shared slab may hold what was there before.
    unsafe { place.wrapping_add(given).write_bytes(0, bytes - given) };
    Ok(address)
}

/// Finds memory for a module's code, or for a variable, and gives its address.
pub(crate) fn place_code(driver: &Driver, life: Life, bytes: usize) -> Outcome<u64> {
    let request = AllocationRequest::Code { bytes: Bytes(bytes as u64) };
    place(driver, life, request, Kind::Code).map(|(address, _)| address)
}

/// Frees the memory of an array.
pub(crate) fn free_array(driver: &Driver, address: u64) -> Outcome {
    release(driver, address)
}

/// Frees a module's code or a variable.
pub(crate) fn free_code(driver: &Driver, address: u64) -> Outcome {
    release(driver, address)
}

fn release(driver: &Driver, address: u64) -> Outcome {
    let mut space = lock(&driver.space);
    // Looked up again: another thread may have freed it during a wait.
    let allocation = space.starting_at(address).ok_or(CUresult::INVALID_VALUE)?;
    let freed = driver.client.free(allocation.id).map_err(code)?;
    space.remove(address, freed.slab);
    Ok(())
}

/// The allocation or mapping that `address` lies in: its first address and its size.
pub(crate) fn range_of(space: &Space, address: u64) -> Outcome<(u64, u64)> {
    // The documentation of cuMemGetAddressRange names 500 for an address that belongs to nothing.
    if let Some(Allocation { start, bytes, .. }) = space.holding(address) {
        return Ok((*start, *bytes));
    }
    let mapping = space.mapping_at(address).ok_or(CUresult::NOT_FOUND)?;
    Ok((mapping.start, mapping.bytes))
}

/// Brings the managed part of `bytes` bytes from `address` to a place; other memory stays where it is.
pub(crate) fn migrate(driver: &Driver, address: u64, bytes: u64, to: Location) -> Outcome {
    let found = lock(&driver.space).holding(address).cloned();
    let Some(allocation) = found.filter(|found| found.kind == Kind::Managed) else {
        return Ok(());
    };
    let offset = address - allocation.start;
    driver.client.migrate(allocation.id, Bytes(offset), Bytes(bytes), to).map_err(code)
}
