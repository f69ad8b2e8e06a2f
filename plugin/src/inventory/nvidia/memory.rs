//! Memory of a device, also of drivers before 510.

use contract::Bytes;
use nvml_gaps::Nvml as Gaps;
use nvml_wrapper::Device;
use nvml_wrapper::error::NvmlError;

/// Memory of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    /// All of it.
    pub(super) total: Bytes,
    /// What programs have; of a driver before 510 what the driver keeps for itself, too.
    pub(super) used: Bytes,
    /// What the driver keeps for itself, as far as it is told apart.
    pub(super) reserved: Bytes,
}

/// Memory of the device at the place `index` of NVML's order.
///
/// # Errors
/// What NVML says.
pub(super) fn of(device: &Device<'_>, index: u32, gaps: Option<&Gaps>) -> Result<Memory, String> {
    match (device.memory_info(), gaps) {
        (Ok(info), _) => {
            Ok(Memory { total: Bytes(info.total), used: Bytes(info.used), reserved: Bytes(info.reserved) })
        }
        (Err(NvmlError::FailedToLoadSymbol(_) | NvmlError::FunctionNotFound), Some(gaps)) => {
            let memory = gaps.memory(index).map_err(|fault| fault.to_string())?;
            Ok(Memory { total: Bytes(memory.total), used: Bytes(memory.used), reserved: Bytes(0) })
        }
        (Err(error), _) => Err(error.to_string()),
    }
}
