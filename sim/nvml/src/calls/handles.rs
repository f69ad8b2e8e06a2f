//! How many devices there are, and their handles. `CUDA_VISIBLE_DEVICES` is nothing to NVML.

use std::ffi::c_uint;

use cuda_sys::{nvmlDevice_t, nvmlReturn_t};
use sim_kernel::{DeviceDescription, PciAddress};

use crate::abi::{Out, Outcome, Text};
use crate::calls::identity::serial;
use crate::{device, library};

pub(crate) fn nvmlUnitGetCount(count: Out<c_uint>) -> Outcome {
    count.set(0);
    Ok(())
}

pub(crate) fn nvmlDeviceGetCount(count: Out<c_uint>) -> Outcome {
    nvmlDeviceGetCount_v2(count)
}

pub(crate) fn nvmlDeviceGetCount_v2(count: Out<c_uint>) -> Outcome {
    let devices = library::session()?.devices().len();
    count.set(c_uint::try_from(devices).map_err(|_| nvmlReturn_t::UNKNOWN)?);
    Ok(())
}

pub(crate) fn nvmlDeviceGetHandleByIndex(index: c_uint, place: Out<nvmlDevice_t>) -> Outcome {
    nvmlDeviceGetHandleByIndex_v2(index, place)
}

pub(crate) fn nvmlDeviceGetHandleByIndex_v2(index: c_uint, place: Out<nvmlDevice_t>) -> Outcome {
    let session = library::session()?;
    let found = session.at(index)?.index;
    device::reach(&session, found)?;
    place.set(device::handle(found)?);
    Ok(())
}

pub(crate) fn nvmlDeviceGetHandleByUUID(uuid: Text, place: Out<nvmlDevice_t>) -> Outcome {
    find(&place, |device| device.uuid.to_string() == uuid.0)
}

pub(crate) fn nvmlDeviceGetHandleBySerial(number: Text, place: Out<nvmlDevice_t>) -> Outcome {
    find(&place, |device| serial(device) == number.0)
}

pub(crate) fn nvmlDeviceGetHandleByPciBusId(bus_id: Text, place: Out<nvmlDevice_t>) -> Outcome {
    nvmlDeviceGetHandleByPciBusId_v2(bus_id, place)
}

pub(crate) fn nvmlDeviceGetHandleByPciBusId_v2(bus_id: Text, place: Out<nvmlDevice_t>) -> Outcome {
    let address = address(&bus_id.0).ok_or(nvmlReturn_t::INVALID_ARGUMENT)?;
    find(&place, |device| device.pci == address)
}

fn find(place: &Out<nvmlDevice_t>, wanted: impl Fn(&DeviceDescription) -> bool) -> Outcome {
    let session = library::session()?;
    let found = session.devices().iter().find(|device| wanted(device)).ok_or(nvmlReturn_t::NOT_FOUND)?;
    device::reach(&session, found.index)?;
    place.set(device::handle(found.index)?);
    Ok(())
}

/// Reads `domain:bus:device.function`, in hexadecimal; domain and function may be left out.
fn address(text: &str) -> Option<PciAddress> {
    let with_domain = if text.matches(':').count() == 1 { format!("0:{text}") } else { text.to_owned() };
    with_domain.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_form_of_a_bus_id_names_the_device() {
        let expected = Some(PciAddress { domain: 0, bus: 0x1b, device: 0 });
        for text in ["00000000:1B:00.0", "0000:1b:00.0", "0:1B:0", "1B:00.0", "1b:0"] {
            assert_eq!(address(text), expected, "{text}");
        }
        for text in ["", "1B", "00000000-1B-00.0", "0:1B:00.0.0", "0:0:1B:00"] {
            assert_eq!(address(text), None, "{text}");
        }
    }
}
