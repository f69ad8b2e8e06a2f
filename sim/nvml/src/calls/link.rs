//! The PCIe link: always at its best.

use std::ffi::c_uint;

use crate::abi::{Out, Outcome};
use crate::board::{PCIE_GENERATION, PCIE_WIDTH};
use crate::device::Device;

pub(crate) fn nvmlDeviceGetCurrPcieLinkGeneration(_device: Device, generation: Out<c_uint>) -> Outcome {
    generation.set(PCIE_GENERATION);
    Ok(())
}

pub(crate) fn nvmlDeviceGetMaxPcieLinkGeneration(_device: Device, generation: Out<c_uint>) -> Outcome {
    generation.set(PCIE_GENERATION);
    Ok(())
}

pub(crate) fn nvmlDeviceGetGpuMaxPcieLinkGeneration(_device: Device, generation: Out<c_uint>) -> Outcome {
    generation.set(PCIE_GENERATION);
    Ok(())
}

pub(crate) fn nvmlDeviceGetCurrPcieLinkWidth(_device: Device, lanes: Out<c_uint>) -> Outcome {
    lanes.set(PCIE_WIDTH);
    Ok(())
}

pub(crate) fn nvmlDeviceGetMaxPcieLinkWidth(_device: Device, lanes: Out<c_uint>) -> Outcome {
    lanes.set(PCIE_WIDTH);
    Ok(())
}

pub(crate) fn nvmlDeviceGetPcieReplayCounter(_device: Device, replays: Out<c_uint>) -> Outcome {
    replays.set(0);
    Ok(())
}
