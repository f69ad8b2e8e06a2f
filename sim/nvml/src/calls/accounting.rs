//! Process accounting: off, as a driver starts, so there is nothing to be queried.

use cuda_sys::nvmlEnableState_t;

use crate::abi::{Out, Outcome};
use crate::device::Device;

pub(crate) fn nvmlDeviceGetAccountingMode(_device: Device, mode: Out<nvmlEnableState_t>) -> Outcome {
    mode.set(nvmlEnableState_t::DISABLED);
    Ok(())
}
