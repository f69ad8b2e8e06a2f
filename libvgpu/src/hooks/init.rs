//! `cuInit`, the first call of every CUDA program.

use crate::abi::driver::real;
use crate::state;
use cuda_sys::*;

/// A slice that cannot be set up is no reason to hand out the whole card: the driver then stays uninitialised.
pub(crate) unsafe fn cuInit(flags: c_uint) -> CUresult {
    if state::started().is_err() {
        return CUresult::SYSTEM_NOT_READY;
    }
    // SAFETY: the application's own arguments.
    unsafe { real::cuInit(flags) }
}
