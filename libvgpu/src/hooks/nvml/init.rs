//! Initialisation: a slice that cannot be set up is no reason to show the whole card.

use crate::abi::nvml::real;
use crate::state::{start_nvml, started};
use cuda_sys::*;

pub(crate) unsafe fn nvmlInit() -> nvmlReturn_t {
    // SAFETY: the call has no preconditions.
    initialise(|| unsafe { real::nvmlInit() })
}

pub(crate) unsafe fn nvmlInit_v2() -> nvmlReturn_t {
    // SAFETY: the call has no preconditions.
    initialise(|| unsafe { real::nvmlInit_v2() })
}

pub(crate) unsafe fn nvmlInitWithFlags(flags: c_uint) -> nvmlReturn_t {
    // SAFETY: the application's own argument.
    initialise(|| unsafe { real::nvmlInitWithFlags(flags) })
}

fn initialise(call: impl FnOnce() -> nvmlReturn_t) -> nvmlReturn_t {
    if started().is_err() { nvmlReturn_t::UNKNOWN } else { start_nvml(call) }
}
