//! Identity of a device: its UUID and its place on the PCI bus.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::DeviceIndex;

/// UUID of a device. Shown as NVIDIA does: `GPU-` and the usual five groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Uuid(pub [u8; 16]);

/// Place of a device on the PCI bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PciAddress {
    /// PCI domain.
    pub domain: u32,
    /// Bus in the domain.
    pub bus: u8,
    /// Device on the bus; the function is always 0.
    pub device: u8,
}

impl Uuid {
    /// The UUID of the default card at this index: the same in every run, and another one for each index.
    #[must_use]
    pub fn of_default(index: DeviceIndex) -> Self {
        let mut bytes = *b"vgpu sim \x40\x00\x80\x00\x00\x00\x00";
        bytes[12..].copy_from_slice(&index.0.to_be_bytes());
        // The marks of a random UUID (RFC 9562 section 5.4), which real cards carry as well.
        bytes[6] = 0x40 | (bytes[6] & 0x0f);
        bytes[8] = 0x80 | (bytes[8] & 0x3f);
        Self(bytes)
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GPU")?;
        for (at, byte) in self.0.iter().enumerate() {
            let dash = if matches!(at, 0 | 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{dash}{byte:02x}")?;
        }
        Ok(())
    }
}

impl FromStr for Uuid {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let digits: Vec<char> =
            text.strip_prefix("GPU-").unwrap_or(text).chars().filter(|c| *c != '-').collect();
        if digits.len() != 32 {
            return Err(());
        }
        let mut bytes = [0; 16];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            let digit = |c: char| c.to_digit(16).and_then(|d| u8::try_from(d).ok()).ok_or(());
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

impl PciAddress {
    /// The place of the default card at this index: one bus for each, in order.
    #[must_use]
    pub fn of_default(index: DeviceIndex) -> Self {
        Self { domain: index.0 >> 6, bus: 0x1b + index.0.to_le_bytes()[0] % 0x40, device: 0 }
    }
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08X}:{:02X}:{:02X}.0", self.domain, self.bus, self.device)
    }
}

impl FromStr for PciAddress {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.strip_suffix(".0").unwrap_or(text);
        let mut parts = text.split(':');
        let (Some(domain), Some(bus), Some(device), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(());
        };
        let device = u8::from_str_radix(device, 16).map_err(drop)?;
        if device > 31 {
            return Err(());
        }
        Ok(Self {
            domain: u32::from_str_radix(domain, 16).map_err(drop)?,
            bus: u8::from_str_radix(bus, 16).map_err(drop)?,
            device,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_reads_back_as_it_is_shown() {
        let uuid = Uuid::of_default(DeviceIndex(3));
        assert_eq!(uuid.to_string().parse(), Ok(uuid));
        assert_eq!(uuid.to_string().len(), 40);
        assert_ne!(uuid, Uuid::of_default(DeviceIndex(4)));
    }

    #[test]
    fn what_is_no_uuid_is_refused() {
        for text in
            ["", "GPU-", "GPU-12", "GPU-0011223344556677889900112233445é", "zz112233445566778899001122334455"]
        {
            assert_eq!(text.parse::<Uuid>(), Err(()), "{text}");
        }
    }

    #[test]
    fn a_pci_address_reads_back_as_it_is_shown() {
        let address = PciAddress { domain: 0, bus: 0x1b, device: 0 };
        assert_eq!(address.to_string(), "00000000:1B:00.0");
        assert_eq!("00000000:1B:00.0".parse(), Ok(address));
        assert_eq!("0000:1b:00.0".parse(), Ok(address));
        for text in ["", "1B:00.0", "0:1:2:3", "0000:1b:20.0", "0000:100:00.0"] {
            assert_eq!(text.parse::<PciAddress>(), Err(()), "{text}");
        }
    }
}
