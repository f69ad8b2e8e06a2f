//! A machine description that has been checked and completed.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::{Bytes, ConfigError, DeviceConfig, DeviceIndex, MachineConfig, PciAddress, Uuid};

/// One device of a machine, as its users see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceDescription {
    /// Position in the machine.
    pub index: DeviceIndex,
    /// Its UUID, different from every other device's.
    pub uuid: Uuid,
    /// Its place, different from every other device's.
    pub pci: PciAddress,
    /// Everything else about it.
    pub card: DeviceConfig,
}

impl MachineConfig {
    /// Checks the description and completes what it leaves out.
    ///
    /// # Errors
    /// Names the first field that makes no sense, with its value and what it should be.
    pub fn describe(&self) -> Result<Vec<DeviceDescription>, ConfigError> {
        if !(1..=Self::MAX_DEVICES).contains(&self.devices.len()) {
            let (found, most) = (self.devices.len(), Self::MAX_DEVICES);
            return Err(ConfigError(format!("a machine of {found} devices: give 1 to {most}")));
        }
        let devices: Vec<_> = (0..)
            .map(DeviceIndex)
            .zip(&self.devices)
            .map(|(i, card)| describe(i, card))
            .collect::<Result<_, _>>()?;
        check_links(&devices)?;
        distinct("uuid", devices.iter().map(|device| device.uuid))?;
        distinct("pci", devices.iter().map(|device| device.pci))?;
        Ok(devices)
    }
}

fn describe(index: DeviceIndex, card: &DeviceConfig) -> Result<DeviceDescription, ConfigError> {
    let wrong = |field: &str, value: &dyn std::fmt::Display, should: &str| {
        Err(ConfigError(format!("device {index}: {field} = {value}: {should}")))
    };
    let uuid = match card.uuid.as_deref().map(|text| (text, text.parse())) {
        None => Uuid::of_default(index),
        Some((_, Ok(uuid))) => uuid,
        Some((text, Err(()))) => return wrong("uuid", &text, "write GPU- and 32 hexadecimal digits"),
    };
    let pci = match card.pci.as_deref().map(|text| (text, text.parse())) {
        None => PciAddress::of_default(index),
        Some((_, Ok(pci))) => pci,
        Some((text, Err(()))) => return wrong("pci", &text, "write domain:bus:device.0 in hexadecimal"),
    };
    if card.chunk < Bytes::from_mib(2) || !card.chunk.0.is_power_of_two() {
        return wrong("chunk", &card.chunk, "give a power of two of at least 2 MiB");
    }
    if card.reserved >= card.total {
        return wrong("reserved", &card.reserved, "give less than the total");
    }
    if card.total > Bytes::from_gib(1 << 20) {
        return wrong("total", &card.total, "give at most 1 PiB");
    }
    let positive = [
        ("multiprocessors", u64::from(card.multiprocessors)),
        ("threads_per_multiprocessor", u64::from(card.threads_per_multiprocessor)),
        ("slice", card.slice.0),
        ("queue_depth", u64::from(card.queue_depth)),
        ("host_bandwidth", card.host_bandwidth.0),
        ("device_bandwidth", card.device_bandwidth.0),
        ("sample_window", card.sample_window.0),
    ];
    if let Some((field, value)) = positive.iter().find(|(_, value)| *value == 0) {
        return wrong(field, value, "give at least 1");
    }
    Ok(DeviceDescription { index, uuid, pci, card: card.clone() })
}

/// The most NVLinks that a device has: those of an H100.
const LINKS_MAX: usize = 18;

fn check_links(devices: &[DeviceDescription]) -> Result<(), ConfigError> {
    for device in devices {
        let (index, links) = (device.index, &device.card.nvlinks);
        let is_other = |peer: &u32| *peer != index.0 && devices.iter().any(|of| of.index.0 == *peer);
        if let Some(peer) = links.iter().find(|peer| !is_other(peer)) {
            return Err(ConfigError(format!(
                "device {index}: nvlinks has {peer}: give indices of other devices"
            )));
        }
        let switched = usize::try_from(device.card.nvswitch_links).unwrap_or(usize::MAX);
        let count = links.len().saturating_add(switched);
        if count > LINKS_MAX {
            return Err(ConfigError(format!("device {index}: {count} NVLinks: give at most {LINKS_MAX}")));
        }
    }
    Ok(())
}

fn distinct<T: Copy + Eq + std::hash::Hash + std::fmt::Display>(
    field: &str,
    values: impl Iterator<Item = T>,
) -> Result<(), ConfigError> {
    let mut seen = HashSet::new();
    for value in values {
        if !seen.insert(value) {
            return Err(ConfigError(format!("{field} = {value} is given to two devices: give each its own")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(change: impl FnOnce(&mut MachineConfig)) -> String {
        let mut config = MachineConfig::with_devices(2);
        change(&mut config);
        config.describe().expect_err("a mistake was accepted").to_string()
    }

    #[test]
    fn the_default_card_is_the_one_the_documents_promise() {
        let devices = MachineConfig::default().describe().expect("the default machine");
        let card = &devices[0].card;
        assert_eq!(card.name, "NVIDIA H100 80GB HBM3");
        assert_eq!(card.total, Bytes::from_mib(81_559));
        assert_eq!(card.context_overhead, Bytes::from_mib(426));
        assert_eq!((card.multiprocessors, card.compute_capability), (132, (9, 0)));
    }

    #[test]
    fn sixteen_default_cards_differ_in_identity() {
        let devices = MachineConfig::with_devices(16).describe().expect("sixteen devices");
        assert!(devices.windows(2).all(|pair| pair[0].uuid < pair[1].uuid && pair[0].pci < pair[1].pci));
    }

    #[test]
    fn a_mistake_is_named_with_its_value_and_the_fix() {
        let text = message(|config| config.devices[1].uuid = Some("GPU-12".into()));
        assert_eq!(text, "device 1: uuid = GPU-12: write GPU- and 32 hexadecimal digits");
        let text = message(|config| config.devices[0].pci = Some("1b".into()));
        assert_eq!(text, "device 0: pci = 1b: write domain:bus:device.0 in hexadecimal");
        let text = message(|config| config.devices[0].chunk = Bytes(3 << 20));
        assert_eq!(text, "device 0: chunk = 3145728 B: give a power of two of at least 2 MiB");
        let text = message(|config| config.devices[0].slice.0 = 0);
        assert_eq!(text, "device 0: slice = 0: give at least 1");
        let text = message(|config| config.devices[0].reserved = config.devices[0].total);
        assert!(text.starts_with("device 0: reserved = "), "{text}");
        let text = message(|config| config.devices[1].nvlinks = vec![0, 1]);
        assert_eq!(text, "device 1: nvlinks has 1: give indices of other devices");
        let text = message(|config| config.devices[1].nvswitch_links = 19);
        assert_eq!(text, "device 1: 19 NVLinks: give at most 18");
        let text = message(|config| config.devices.clear());
        assert_eq!(text, "a machine of 0 devices: give 1 to 16");
    }

    #[test]
    fn two_devices_cannot_share_an_identity() {
        let text = message(|config| {
            for card in &mut config.devices {
                card.pci = Some("0000:05:00.0".into());
            }
        });
        assert_eq!(text, "pci = 00000000:05:00.0 is given to two devices: give each its own");
    }
}
