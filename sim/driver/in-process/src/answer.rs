//! How a function answers.

use cuda_sys::CUresult;

/// What every name jumps to that has no function. Here it is never too early for a call.
pub extern "C" fn not_supported() -> CUresult {
    CUresult::NOT_SUPPORTED
}

/// Stores a result where the caller wants it.
///
/// # Safety
///
/// `place` must be null or valid for a write.
#[inline]
pub unsafe fn store<T>(place: *mut T, value: T) -> CUresult {
    if place.is_null() {
        return CUresult::INVALID_VALUE;
    }
    // SAFETY: not null, so the caller vouches for it.
    unsafe { place.write(value) };
    CUresult::SUCCESS
}

/// Functions that succeed and do nothing.
#[macro_export]
macro_rules! idle {
    ($($name:ident($($ty:ty),*);)*) => { $(
        pub unsafe extern "C" fn $name($(_: $ty),*) -> ::cuda_sys::CUresult {
            ::cuda_sys::CUresult::SUCCESS
        }
    )* };
}

/// Functions that give a handle which was never given before.
#[macro_export]
macro_rules! makers {
    ($($kind:ident: $name:ident($($ty:ty),*);)*) => { $(
        pub unsafe extern "C" fn $name(made: *mut $kind $(, _: $ty)*) -> ::cuda_sys::CUresult {
            let handle = $kind(::std::ptr::without_provenance_mut($crate::unique::handle()));
            // SAFETY: the caller's place for a handle.
            unsafe { $crate::store(made, handle) }
        }
    )* };
}
