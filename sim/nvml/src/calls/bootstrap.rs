//! Initialisation and its end.

use std::ffi::c_uint;

use crate::abi::Outcome;
use crate::library;

pub(crate) fn nvmlInit() -> Outcome {
    library::start()
}

pub(crate) fn nvmlInit_v2() -> Outcome {
    library::start()
}

/// The flags ask for an initialisation that does less (no error without devices, no attachment): no difference here.
pub(crate) fn nvmlInitWithFlags(_flags: c_uint) -> Outcome {
    library::start()
}

pub(crate) fn nvmlShutdown() -> Outcome {
    library::stop();
    Ok(())
}
