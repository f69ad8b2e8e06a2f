//! The creation of one array or mipmapped array.

use super::size;
use crate::state::Site;
use cuda_sys::{CUDA_ARRAY3D_DESCRIPTOR as Shape, CUDA_ARRAY3D_FLAGS as Flags, CUresult, c_uint};
use cuda_sys::{CUarray, CUmipmappedArray};
use shared_region::MemoryClass;

/// What the application asks for.
pub(super) struct Request<Handle, Call> {
    /// Where the driver writes the handle.
    pub(super) handle: *mut Handle,
    /// What it is to be; `None` where the application does not say.
    pub(super) shape: Option<Shape>,
    /// Levels of a mipmapped array.
    pub(super) levels: Option<c_uint>,
    pub(super) call: Call,
    /// Undoes the call.
    pub(super) destroy: unsafe fn(Handle),
}

/// A handle as a number.
pub(super) trait Number: Copy {
    fn number(self) -> u64;
}

impl Number for CUarray {
    fn number(self) -> u64 {
        self.0 as u64
    }
}

impl Number for CUmipmappedArray {
    fn number(self) -> u64 {
        self.0 as u64
    }
}

impl<Handle: Number, Call: Fn() -> CUresult> Request<Handle, Call> {
    /// Reserves what the array takes, calls the driver and records the handle it returned.
    pub(super) fn charged(self) -> CUresult {
        let Some(shape) = self.shape.filter(|_| !self.handle.is_null()) else { return (self.call)() };
        let site = match Site::current() {
            Ok(Some(site)) => site,
            Ok(None) => return (self.call)(),
            Err(code) => return code,
        };
        if shape.Flags & (Flags::SPARSE.0 | Flags::DEFERRED_MAPPING.0) != 0 {
            return self.without_memory(&site, &shape);
        }
        if size::is_impossible(&shape) {
            return self.charged_afterwards(&site, &shape);
        }
        let bytes =
            size::told(&site, &shape, self.levels).unwrap_or_else(|| size::bound(&shape, self.levels));
        let reservation = match site.reserve(MemoryClass::Array, bytes) {
            Ok(reservation) => reservation,
            Err(code) => return code,
        };
        let result = reservation.allocate(&self.call);
        if result.is_success() {
            site.record_array(self.created(), reservation);
        }
        result
    }

    /// What is mapped to it later is charged already, and kept by it.
    fn without_memory(&self, site: &Site, shape: &Shape) -> CUresult {
        let result = (self.call)();
        if result.is_success() {
            site.record_sparse(self.created(), shape.Flags & Flags::DEFERRED_MAPPING.0 != 0);
        }
        result
    }

    /// The driver has the first word. Should it create such an array, that stays only if there is room for it.
    fn charged_afterwards(&self, site: &Site, shape: &Shape) -> CUresult {
        // SAFETY: not null; the application gave it for writing.
        let before = unsafe { *self.handle };
        let result = (self.call)();
        if !result.is_success() {
            return result;
        }
        match site.reserve(MemoryClass::Array, size::bound(shape, self.levels)) {
            Ok(reservation) => {
                site.record_array(self.created(), reservation);
                result
            }
            Err(code) => {
                // SAFETY: as above, and the driver is done with it.
                let created = core::mem::replace(unsafe { &mut *self.handle }, before);
                // SAFETY: a handle that the driver has just returned.
                unsafe { (self.destroy)(created) };
                code
            }
        }
    }

    /// The number of what the driver has created.
    fn created(&self) -> u64 {
        // SAFETY: not null, and the driver has written there.
        unsafe { *self.handle }.number()
    }
}
