//! The place of a device on the PCI bus, in the structure as it grew.

use std::ffi::{c_char, c_uint};

use cuda_sys::{nvmlPciInfo_t, nvmlPciInfoExt_t, nvmlReturn_t};
use sim_kernel::{DeviceDescription, PciAddress};

use crate::abi::{FromAbi, InOut, Out, Outcome, chars};
use crate::board;
use crate::device::Device;

/// The structure of the first version.
#[repr(C)]
pub(crate) struct PciInfoV1 {
    bus_id: [c_char; 16],
    domain: c_uint,
    bus: c_uint,
    device: c_uint,
    pci_device_id: c_uint,
}

/// The structure of the second version, as far as it has a meaning: callers have 16 reserved bytes behind it.
#[repr(C)]
pub(crate) struct PciInfoV2 {
    first: PciInfoV1,
    pci_subsystem_id: c_uint,
}

/// Every version begins with the older ones, and the table gives the newest for all: a caller built against an older
/// header has no room for more than its own.
macro_rules! beginnings {
    ($($version:ty)*) => { $(
        impl FromAbi<*mut nvmlPciInfo_t> for Out<$version> {
            unsafe fn from_abi(raw: *mut nvmlPciInfo_t) -> Outcome<Self> {
                // SAFETY: the caller's promise for the longer structure holds for its beginning.
                unsafe { FromAbi::from_abi(raw.cast::<$version>()) }
            }
        }
    )* };
}
beginnings!(PciInfoV1 PciInfoV2);

/// `domain:bus:device.0` with four digits of domain, which every older interface expects.
fn legacy_bus_id(pci: PciAddress) -> String {
    format!("{:04X}:{:02X}:{:02X}.0", pci.domain & 0xffff, pci.bus, pci.device)
}

fn first(device: &DeviceDescription) -> PciInfoV1 {
    let pci = device.pci;
    PciInfoV1 {
        bus_id: chars(legacy_bus_id(pci).as_bytes()),
        domain: pci.domain,
        bus: pci.bus.into(),
        device: pci.device.into(),
        pci_device_id: board::PCI_DEVICE_ID,
    }
}

pub(crate) fn nvmlDeviceGetPciInfo(device: Device, info: Out<PciInfoV1>) -> Outcome {
    info.set(first(device.description()?));
    Ok(())
}

pub(crate) fn nvmlDeviceGetPciInfo_v2(device: Device, info: Out<PciInfoV2>) -> Outcome {
    let first = first(device.description()?);
    info.set(PciInfoV2 { first, pci_subsystem_id: board::PCI_SUBSYSTEM_ID });
    Ok(())
}

pub(crate) fn nvmlDeviceGetPciInfo_v3(device: Device, info: Out<nvmlPciInfo_t>) -> Outcome {
    info.set(newest(device.description()?.pci));
    Ok(())
}

/// The newest structure.
pub(super) fn newest(pci: PciAddress) -> nvmlPciInfo_t {
    nvmlPciInfo_t {
        busIdLegacy: chars(legacy_bus_id(pci).as_bytes()),
        domain: pci.domain,
        bus: pci.bus.into(),
        device: pci.device.into(),
        pciDeviceId: board::PCI_DEVICE_ID,
        pciSubSystemId: board::PCI_SUBSYSTEM_ID,
        busId: chars(pci.to_string().as_bytes()),
    }
}

pub(crate) fn nvmlDeviceGetPciInfoExt(device: Device, info: InOut<nvmlPciInfoExt_t>) -> Outcome {
    let version = info.get().version;
    if version != nvmlPciInfoExt_t::VERSION {
        return Err(nvmlReturn_t::ARGUMENT_VERSION_MISMATCH);
    }
    let pci = device.description()?.pci;
    info.set(nvmlPciInfoExt_t {
        version,
        domain: pci.domain,
        bus: pci.bus.into(),
        device: pci.device.into(),
        pciDeviceId: board::PCI_DEVICE_ID,
        pciSubSystemId: board::PCI_SUBSYSTEM_ID,
        baseClass: board::PCI_CLASS.0,
        subClass: board::PCI_CLASS.1,
        busId: chars(pci.to_string().as_bytes()),
    });
    Ok(())
}
