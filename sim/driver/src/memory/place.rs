//! Where a copy reads or writes.

use cuda_sys::CUresult;

use crate::address::Space;
use crate::outcome::Outcome;
use crate::width::to_usize;

/// Memory as a caller names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// An address of the host; the driver does not check it.
    Host(u64),
    /// An address of a device.
    Device(u64),
    /// An address that itself tells which of the two it is.
    Unified(u64),
}

/// Whose memory it turns out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The host's.
    Host,
    /// A device's, or managed memory.
    Device,
}

impl Place {
    /// The address `offset` bytes further.
    pub(crate) fn plus(self, offset: u64) -> Outcome<Self> {
        let further = |address: u64| address.checked_add(offset).ok_or(CUresult::INVALID_VALUE);
        Ok(match self {
            Self::Host(address) => Self::Host(further(address)?),
            Self::Device(address) => Self::Device(further(address)?),
            Self::Unified(address) => Self::Unified(further(address)?),
        })
    }

    /// Where `length` bytes from here really are. Bytes of a device must lie in one allocation; null is no memory.
    pub(crate) fn resolve(self, space: &Space, length: u64) -> Outcome<(*mut u8, Side)> {
        let (address, host) = match self {
            Self::Host(address) => (address, true),
            Self::Device(address) => (address, false),
            Self::Unified(address) => (address, !space.is_device_address(address)),
        };
        if !host {
            let contents = space.contents(address, length).ok_or(CUresult::INVALID_VALUE)?;
            return Ok((contents, Side::Device));
        }
        if address == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        Ok((std::ptr::with_exposed_provenance_mut(to_usize(address)), Side::Host))
    }
}
