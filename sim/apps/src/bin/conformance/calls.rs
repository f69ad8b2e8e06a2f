//! Shorter ways to write calls.

use cuda_sys::{CUcontext, CUdevice, CUdeviceptr, CUresult};
use sim_apps::{Failure, check};

/// Calls a function of the driver; the answer is its code.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: the driver checks handles, addresses and numbers, and whatever else is passed here is a place that lives
        // until the call is over.
        unsafe { sim_apps::cuda::$function($($argument),*) }
    };
}

/// Calls a function of the driver that must succeed, or ends the group.
macro_rules! must {
    ($function:ident($($argument:expr),* $(,)?)) => {
        sim_apps::check(stringify!($function), $crate::calls::call!($function($($argument),*)))
    };
}

/// Calls a function of the driver that must succeed and write its first output; the answer is what it wrote.
macro_rules! get {
    ($function:ident(_ $(, $argument:expr)* $(,)?)) => {{
        let mut place = $crate::calls::empty();
        $crate::calls::must!($function(&raw mut place $(, $argument)*)).map(|()| place)
    }};
}

pub(crate) use {call, get, must};

/// Types that are outputs here: for each, all zeros is a value that no call returns.
pub(crate) trait Empty {
    const EMPTY: Self;
}

macro_rules! empty {
    ($($ty:ty = $value:expr),*) => {$(impl Empty for $ty { const EMPTY: Self = $value; })*};
}
empty!(i32 = 0, u32 = 0, u64 = 0, usize = 0, f32 = 0.0, *const std::ffi::c_char = std::ptr::null());

macro_rules! empty_handles {
    ($($ty:ident),*) => {$(impl Empty for cuda_sys::$ty { const EMPTY: Self = Self(std::ptr::null_mut()); })*};
}
empty_handles!(
    CUarray,
    CUcontext,
    CUstream,
    CUevent,
    CUmodule,
    CUfunction,
    CUmemoryPool,
    CUgraph,
    CUgraphExec,
    CUgraphNode
);

pub(crate) const fn empty<T: Empty>() -> T {
    T::EMPTY
}

pub(crate) const MIB: usize = 1 << 20;

/// No device memory: what no allocation is called.
pub(crate) const NOWHERE: CUdeviceptr = 0;

/// An address at which nobody has allocated anything.
pub(crate) const UNKNOWN: CUdeviceptr = 0x1234;

/// Initialises the driver and makes a context on the first device.
pub(crate) fn context() -> Result<CUcontext, Failure> {
    must!(cuInit(0))?;
    get!(cuCtxCreate_v2(_, 0, first_device()))
}

/// The first device.
pub(crate) const fn first_device() -> CUdevice {
    0
}

/// Free and total bytes of the current device.
pub(crate) fn memory() -> Result<(usize, usize), Failure> {
    let (mut free, mut total) = (0, 0);
    check("cuMemGetInfo", call!(cuMemGetInfo_v2(&raw mut free, &raw mut total)))?;
    Ok((free, total))
}

/// Linear memory.
pub(crate) fn allocate(bytes: usize) -> Result<CUdeviceptr, Failure> {
    get!(cuMemAlloc_v2(_, bytes))
}

/// Frees memory that is there.
pub(crate) fn free(address: CUdeviceptr) -> Result<(), Failure> {
    must!(cuMemFree_v2(address))
}

/// What a call returns in another thread, with `context` current there, or none.
pub(crate) fn in_a_thread(context: Option<CUcontext>, call: impl FnOnce() -> CUresult + Send) -> CUresult {
    let context = context.map(|context| context.0.expose_provenance());
    std::thread::scope(|scope| {
        let thread = scope.spawn(move || {
            if let Some(context) = context {
                let context = CUcontext(std::ptr::with_exposed_provenance_mut(context));
                let current = call!(cuCtxSetCurrent(context));
                if !current.is_success() {
                    return current;
                }
            }
            call()
        });
        thread.join().unwrap_or(CUresult(u32::MAX))
    })
}
