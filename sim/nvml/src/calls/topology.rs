//! How devices are connected with each other.

use std::ffi::c_uint;

use cuda_sys::{
    nvmlEnableState_t, nvmlGpuTopologyLevel_t, nvmlIntNvLinkDeviceType_t, nvmlPciInfo_t, nvmlReturn_t,
};
use sim_kernel::{DeviceIndex, PciAddress};

use super::pci;
use crate::abi::{Out, Outcome};
use crate::device::Device;

/// `NVML_TOPOLOGY_SINGLE`: through one PCIe switch.
const SINGLE_SWITCH: nvmlGpuTopologyLevel_t = 10;
/// `NVML_TOPOLOGY_NODE`: of one NUMA node.
const NODE: nvmlGpuTopologyLevel_t = 40;
/// `NVML_TOPOLOGY_SYSTEM`: anywhere in the machine.
const SYSTEM: nvmlGpuTopologyLevel_t = 50;

/// `NVML_NVLINK_MAX_LINKS`.
const LINKS_MAX: c_uint = 18;

/// `NVML_NVLINK_DEVICE_TYPE_GPU`.
const TO_DEVICE: nvmlIntNvLinkDeviceType_t = 0;
/// `NVML_NVLINK_DEVICE_TYPE_SWITCH`.
const TO_SWITCH: nvmlIntNvLinkDeviceType_t = 2;

/// The place of the one switch.
const SWITCH: PciAddress = PciAddress { domain: 0, bus: 0xf0, device: 0 };

/// What a link ends at.
enum End {
    Device(DeviceIndex),
    Switch,
}

/// The end of a link, those to devices first; `None` for one that is not connected.
fn end(device: &Device, link: c_uint) -> Outcome<Option<End>> {
    let card = &device.description()?.card;
    if card.nvlinks.is_empty() && card.nvswitch_links == 0 {
        return Err(nvmlReturn_t::NOT_SUPPORTED);
    }
    if link >= LINKS_MAX {
        return Err(nvmlReturn_t::INVALID_ARGUMENT);
    }
    let to_devices = card.nvlinks.iter().map(|peer| End::Device(DeviceIndex(*peer)));
    let to_switch = (0..card.nvswitch_links).map(|_| End::Switch);
    let position = usize::try_from(link).map_err(|_| nvmlReturn_t::INVALID_ARGUMENT)?;
    Ok(to_devices.chain(to_switch).nth(position))
}

fn connected(device: &Device, link: c_uint) -> Outcome<End> {
    end(device, link)?.ok_or(nvmlReturn_t::INVALID_ARGUMENT)
}

pub(crate) fn nvmlDeviceGetTopologyCommonAncestor(
    one: Device,
    other: Device,
    level: Out<nvmlGpuTopologyLevel_t>,
) -> Outcome {
    if one.index() == other.index() {
        return Err(nvmlReturn_t::INVALID_ARGUMENT);
    }
    let (one, other) = (&one.description()?.card, &other.description()?.card);
    level.set(if one.pcie_switch.is_some() && one.pcie_switch == other.pcie_switch {
        SINGLE_SWITCH
    } else if one.numa == other.numa {
        NODE
    } else {
        SYSTEM
    });
    Ok(())
}

pub(crate) fn nvmlDeviceGetNvLinkState(
    device: Device,
    link: c_uint,
    state: Out<nvmlEnableState_t>,
) -> Outcome {
    let is_connected = end(&device, link)?.is_some();
    state.set(if is_connected { nvmlEnableState_t::ENABLED } else { nvmlEnableState_t::DISABLED });
    Ok(())
}

pub(crate) fn nvmlDeviceGetNvLinkRemotePciInfo_v2(
    device: Device,
    link: c_uint,
    info: Out<nvmlPciInfo_t>,
) -> Outcome {
    let address = match connected(&device, link)? {
        // A peer that went away since still was what the link ends at.
        End::Device(peer) => {
            device.session().device(peer).map_or_else(|_| PciAddress::of_default(peer), |peer| peer.pci)
        }
        End::Switch => SWITCH,
    };
    info.set(pci::newest(address));
    Ok(())
}

pub(crate) fn nvmlDeviceGetNvLinkRemoteDeviceType(
    device: Device,
    link: c_uint,
    kind: Out<nvmlIntNvLinkDeviceType_t>,
) -> Outcome {
    kind.set(match connected(&device, link)? {
        End::Device(_) => TO_DEVICE,
        End::Switch => TO_SWITCH,
    });
    Ok(())
}
