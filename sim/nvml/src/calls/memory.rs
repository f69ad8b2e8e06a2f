//! Memory of a device.

use std::ffi::c_uint;

use cuda_sys::{nvmlBAR1Memory_t, nvmlMemory_t, nvmlMemory_v2_t, nvmlReturn_t};
use sim_kernel::Client;

use crate::abi::{InOut, Out, Outcome};
use crate::board;
use crate::device::Device;

/// Used memory includes what the device keeps for itself.
pub(crate) fn nvmlDeviceGetMemoryInfo(device: Device, memory: Out<nvmlMemory_t>) -> Outcome {
    let info = device.ask(Client::memory)?;
    memory.set(nvmlMemory_t { total: info.total.0, free: info.free.0, used: (info.reserved + info.used).0 });
    Ok(())
}

/// Used memory is without what the device keeps for itself.
pub(crate) fn nvmlDeviceGetMemoryInfo_v2(device: Device, memory: InOut<nvmlMemory_v2_t>) -> Outcome {
    let version = memory.get().version;
    if version != nvmlMemory_v2_t::VERSION {
        return Err(nvmlReturn_t::ARGUMENT_VERSION_MISMATCH);
    }
    let info = device.ask(Client::memory)?;
    memory.set(nvmlMemory_v2_t {
        version,
        total: info.total.0,
        reserved: info.reserved.0,
        free: info.free.0,
        used: info.used.0,
    });
    Ok(())
}

pub(crate) fn nvmlDeviceGetBAR1MemoryInfo(device: Device, memory: Out<nvmlBAR1Memory_t>) -> Outcome {
    let total = board::bar1_total(device.description()?);
    memory.set(nvmlBAR1Memory_t {
        bar1Total: total,
        bar1Free: total.saturating_sub(board::BAR1_USED),
        bar1Used: board::BAR1_USED,
    });
    Ok(())
}

pub(crate) fn nvmlDeviceGetMemoryBusWidth(_device: Device, bits: Out<c_uint>) -> Outcome {
    bits.set(board::MEMORY_BUS_BITS);
    Ok(())
}
