//! Pitched memory: only the driver knows how long a row becomes, so it is asked once, and what it does then is settled.

use crate::abi::driver::real;
use crate::state::{Reservation, Site};
use contract::Bytes;
use cuda_sys::*;
use shared_region::MemoryClass;

pub(crate) unsafe fn cuMemAllocPitch(
    dptr: *mut CUdeviceptr_v1,
    pitch: *mut c_uint,
    width: c_uint,
    height: c_uint,
    element_size: c_uint,
) -> CUresult {
    let version = Version { allocate: real::cuMemAllocPitch, free: real::cuMemFree };
    Request { version, dptr, pitch, width, height, element_size }.charged()
}

pub(crate) unsafe fn cuMemAllocPitch_v2(
    dptr: *mut CUdeviceptr,
    pitch: *mut usize,
    width: usize,
    height: usize,
    element_size: c_uint,
) -> CUresult {
    let version = Version { allocate: real::cuMemAllocPitch_v2, free: real::cuMemFree_v2 };
    Request { version, dptr, pitch, width, height, element_size }.charged()
}

/// The driver's functions of one version of the call. The versions differ in the width of their integers.
struct Version<Address, Length> {
    allocate: unsafe fn(*mut Address, *mut Length, Length, Length, c_uint) -> CUresult,
    free: unsafe fn(Address) -> CUresult,
}

/// One call, with the application's own arguments.
struct Request<Address, Length> {
    version: Version<Address, Length>,
    dptr: *mut Address,
    pitch: *mut Length,
    width: Length,
    height: Length,
    element_size: c_uint,
}

impl<Address: Copy + TryInto<u64>, Length: Copy + TryInto<u64>> Request<Address, Length> {
    fn call(&self) -> CUresult {
        let Self { dptr, pitch, width, height, element_size, .. } = *self;
        // SAFETY: the application's own arguments.
        unsafe { (self.version.allocate)(dptr, pitch, width, height, element_size) }
    }

    fn charged(&self) -> CUresult {
        let (width, height) = (wide(self.width), wide(self.height));
        let is_rejected = self.dptr.is_null() || self.pitch.is_null() || width == 0 || height == 0;
        if is_rejected {
            return self.call();
        }
        let site = match Site::current() {
            Ok(Some(site)) => site,
            Ok(None) => return self.call(),
            Err(code) => return code,
        };
        let alignment =
            *site.device.pitch_alignment.get_or_init(|| pitch_alignment(&site).unwrap_or(USUAL_ALIGNMENT));
        let row = width.checked_next_multiple_of(alignment).unwrap_or(u64::MAX);
        match site.reserve(MemoryClass::Pitched, Bytes(row.saturating_mul(height))) {
            Ok(reservation) => self.settled(&site, reservation),
            Err(code) => code,
        }
    }

    /// Calls the driver and charges what the rows really take. What does not fit is freed again, and the application's
    /// variables are put back.
    fn settled(&self, site: &Site, mut reservation: Reservation) -> CUresult {
        // SAFETY: not null; the application gave it for writing.
        let address_before = unsafe { *self.dptr };
        // SAFETY: as above.
        let pitch_before = unsafe { *self.pitch };
        let result = reservation.allocate(|| self.call());
        if !result.is_success() {
            return result;
        }
        // SAFETY: as above, and the driver is done with it.
        let address = unsafe { &mut *self.dptr };
        // SAFETY: as above.
        let pitch = unsafe { &mut *self.pitch };
        match reservation.settle(Bytes(wide(*pitch).saturating_mul(wide(self.height)))) {
            Ok(()) => {
                site.record(wide(*address), reservation);
                result
            }
            Err(code) => {
                let allocated = core::mem::replace(address, address_before);
                *pitch = pitch_before;
                // SAFETY: an address that the driver has just returned.
                let _ = unsafe { (self.version.free)(allocated) };
                code
            }
        }
    }
}

/// The number in the width that is charged in, which holds all of either version's.
fn wide(number: impl TryInto<u64>) -> u64 {
    number.try_into().unwrap_or(u64::MAX)
}

/// What rows are padded to on the GPUs known, in bytes.
const USUAL_ALIGNMENT: u64 = 512;

/// What rows are padded to here: the pitch of a row of one byte. `None` where there is no room to find out.
fn pitch_alignment(site: &Site) -> Option<u64> {
    const SMALLEST_ELEMENT: c_uint = 4;
    // The application has not asked for this, so it counts as no refusal.
    let _reservation =
        Reservation::if_there_can_be_room(site.place(), MemoryClass::Pitched, Bytes(USUAL_ALIGNMENT))?;
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
