//! One device as NVML and the kernel describe it.

use std::fs;
use std::path::Path;

use nvml_gaps::Nvml as Gaps;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};

use super::memory;
use crate::inventory::Gpu;

/// The device at this place in NVML's order.
///
/// # Errors
/// What NVML says, when it does not tell one of the things that have to be known.
pub(super) fn describe(
    nvml: &Nvml,
    index: u32,
    gaps: Option<&Gaps>,
    pci_devices: &Path,
) -> Result<Gpu, String> {
    let said = |error: NvmlError| error.to_string();
    let device = nvml.device_by_index(index).map_err(said)?;
    let uuid = device.uuid().map_err(said)?;
    let capability = device.cuda_compute_capability().map_err(said)?;
    let part = |number: i32| u32::try_from(number).unwrap_or(0);
    let pci = device.pci_info().map_err(said)?.bus_id;
    Ok(Gpu {
        index,
        uuid: uuid.parse().map_err(|error| format!("its UUID is {uuid}, {error}"))?,
        model: device.name().map_err(said)?,
        memory: memory::of(&device, index, gaps)?.total,
        numa: numa(pci_devices, &pci),
        pci,
        capability: (part(capability.major), part(capability.minor)),
        mig: is_divided(&device),
    })
}

/// What is wrong with a device that answers.
pub(super) fn unfit(index: u32, gaps: Option<&Gaps>) -> Option<String> {
    // Devices that replace no rows say that they cannot tell.
    let failed = gaps?.remap_failed(index).is_ok_and(|failed| failed);
    failed.then(|| "a faulty row of its memory could not be replaced".to_owned())
}

fn is_divided(device: &Device<'_>) -> bool {
    device.mig_mode().is_ok_and(|mode| mode.current != 0)
}

/// The NUMA node that the kernel knows for a device; it writes −1 where there is only one.
fn numa(pci_devices: &Path, address: &str) -> Option<u32> {
    let text = fs::read_to_string(pci_devices.join(kernel_name(address)).join("numa_node")).ok()?;
    text.trim().parse().ok()
}

/// The kernel's name of a device: NVML writes the domain with eight digits and capital letters, the kernel with four and
/// small ones.
fn kernel_name(address: &str) -> String {
    let address = address.to_lowercase();
    match address.strip_prefix("0000") {
        Some(short) if short.find(':') == Some(4) => short.to_owned(),
        _ => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_knows_devices_by_another_name_than_nvml() {
        assert_eq!(kernel_name("00000000:3B:00.0"), "0000:3b:00.0");
        assert_eq!(kernel_name("00010000:3B:00.0"), "00010000:3b:00.0");
        assert_eq!(kernel_name("0000:3B:00.0"), "0000:3b:00.0");
    }

    #[test]
    fn a_numa_node_is_told_only_where_there_are_several() {
        let kernel = tempfile::tempdir().unwrap();
        for (name, text) in [("0000:01:00.0", "1\n"), ("0000:02:00.0", "-1\n")] {
            fs::create_dir(kernel.path().join(name)).unwrap();
            fs::write(kernel.path().join(name).join("numa_node"), text).unwrap();
        }
        let of = |address| numa(kernel.path(), address);
        assert_eq!(of("00000000:01:00.0"), Some(1));
        assert_eq!(of("00000000:02:00.0"), None);
        assert_eq!(of("00000000:03:00.0"), None);
    }
}
