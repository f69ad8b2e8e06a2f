//! Pitched memory: only the driver knows how long a row becomes, so it is asked once, and what it does then is settled.

use crate::abi::driver::real;
use crate::state::{Reservation, Site};
use contract::Bytes;
use cuda_sys::*;

pub(crate) unsafe fn cuMemAllocPitch(
    dptr: *mut CUdeviceptr_v1,
    pitch: *mut c_uint,
    width: c_uint,
    height: c_uint,
    element_size: c_uint,
) -> CUresult {
    let request = Request {
        width: u64::from(width),
        height: u64::from(height),
        rejected: dptr.is_null() || pitch.is_null(),
        // SAFETY: the application's own arguments.
        call: || unsafe { real::cuMemAllocPitch(dptr, pitch, width, height, element_size) },
        // SAFETY: not null when it is used; the application gave it for writing.
        address: || unsafe { &mut *dptr },
        // SAFETY: as above.
        pitch: || unsafe { &mut *pitch },
        // SAFETY: an address that the driver has just returned.
        free: |address| unsafe { real::cuMemFree(address) },
    };
    charged(request)
}

pub(crate) unsafe fn cuMemAllocPitch_v2(
    dptr: *mut CUdeviceptr,
    pitch: *mut usize,
    width: usize,
    height: usize,
    element_size: c_uint,
) -> CUresult {
    let request = Request {
        width: width as u64,
        height: height as u64,
        rejected: dptr.is_null() || pitch.is_null(),
        // SAFETY: the application's own arguments.
        call: || unsafe { real::cuMemAllocPitch_v2(dptr, pitch, width, height, element_size) },
        // SAFETY: not null when it is used; the application gave it for writing.
        address: || unsafe { &mut *dptr },
        // SAFETY: as above.
        pitch: || unsafe { &mut *pitch },
        // SAFETY: an address that the driver has just returned.
        free: |address| unsafe { real::cuMemFree_v2(address) },
    };
    charged(request)
}

/// One call of either version, whose integers differ in width.
struct Request<Call, Address, Pitch, Free> {
    width: u64,
    height: u64,
    /// The driver is going to reject the arguments.
    rejected: bool,
    call: Call,
    /// The application's variables, which are there unless the arguments are rejected.
    address: Address,
    pitch: Pitch,
    free: Free,
}

fn charged<'a, Address, Pitch>(
    request: Request<
        impl Fn() -> CUresult,
        impl Fn() -> &'a mut Address,
        impl Fn() -> &'a mut Pitch,
        impl FnOnce(Address) -> CUresult,
    >,
) -> CUresult
where
    Address: Copy + TryInto<u64> + 'a,
    Pitch: Copy + TryInto<u64> + 'a,
{
    if request.rejected || request.width == 0 || request.height == 0 {
        return (request.call)();
    }
    let site = match Site::current() {
        Ok(Some(site)) => site,
        Ok(None) => return (request.call)(),
        Err(code) => return code,
    };
    let alignment =
        *site.device.pitch_alignment.get_or_init(|| pitch_alignment(&site).unwrap_or(USUAL_ALIGNMENT));
    let pitch = request.width.checked_next_multiple_of(alignment).unwrap_or(u64::MAX);
    match site.reserve(Bytes(pitch.saturating_mul(request.height))) {
        Ok(reservation) => settled(&site, reservation, request),
        Err(code) => code,
    }
}

/// What rows are padded to on the GPUs known, in bytes.
const USUAL_ALIGNMENT: u64 = 512;

/// What rows are padded to here: the pitch of a row of one byte. `None` where there is no room to find out.
fn pitch_alignment(site: &Site) -> Option<u64> {
    const SMALLEST_ELEMENT: c_uint = 4;
    let _reservation = site.reserve(Bytes(USUAL_ALIGNMENT)).ok()?;
    let (mut address, mut pitch) = (0, 0);
    // SAFETY: both are valid for writing.
    let allocated =
        unsafe { real::cuMemAllocPitch_v2(&raw mut address, &raw mut pitch, 1, 1, SMALLEST_ELEMENT) };
    if !allocated.is_success() {
        return None;
    }
    // SAFETY: just allocated, and known to nobody else.
    let _ = unsafe { real::cuMemFree_v2(address) };
    u64::try_from(pitch).ok().filter(|&pitch| pitch > 0)
}

/// Calls the driver and charges what the rows really take. What does not fit is freed again, and the application's
/// variables are put back.
fn settled<'a, Address, Pitch>(
    site: &Site,
    mut reservation: Reservation,
    request: Request<
        impl Fn() -> CUresult,
        impl Fn() -> &'a mut Address,
        impl Fn() -> &'a mut Pitch,
        impl FnOnce(Address) -> CUresult,
    >,
) -> CUresult
where
    Address: Copy + TryInto<u64> + 'a,
    Pitch: Copy + TryInto<u64> + 'a,
{
    let before = (*(request.address)(), *(request.pitch)());
    let result = reservation.allocate(&request.call);
    if !result.is_success() {
        return result;
    }
    let (address, pitch) = ((request.address)(), (request.pitch)());
    let row: u64 = (*pitch).try_into().unwrap_or(u64::MAX);
    match reservation.settle(Bytes(row.saturating_mul(request.height))) {
        Ok(()) => {
            site.record((*address).try_into().unwrap_or(0), reservation);
            result
        }
        Err(code) => {
            let allocated = core::mem::replace(address, before.0);
            *pitch = before.1;
            let _ = (request.free)(allocated);
            code
        }
    }
}
