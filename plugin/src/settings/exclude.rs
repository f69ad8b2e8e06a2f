//! Devices that are left to others.

use std::ops::RangeInclusive;
use std::str::FromStr;

use contract::Uuid;

use crate::inventory::Gpu;

/// Some devices: `3`, `0..2` (both ends included), or a UUID.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Excluded {
    /// By place in the driver's order.
    Indices(RangeInclusive<u32>),
    /// By identity.
    Uuid(Uuid),
}

impl Excluded {
    /// Is this device among them?
    #[must_use]
    pub fn has(&self, gpu: &Gpu) -> bool {
        match self {
            Self::Indices(range) => range.contains(&gpu.index),
            Self::Uuid(uuid) => *uuid == gpu.uuid,
        }
    }
}

/// The text names no devices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no devices; write an index (3), a range of them (0..2), or a UUID (GPU-...)")]
pub struct ParseExcludedError(String);

impl FromStr for Excluded {
    type Err = ParseExcludedError;

    fn from_str(text: &str) -> Result<Self, ParseExcludedError> {
        let error = || ParseExcludedError(text.to_owned());
        if let Ok(uuid) = text.parse() {
            return Ok(Self::Uuid(uuid));
        }
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let index = |text: &str| text.trim().parse::<u32>().map_err(|_| error());
        let (first, last) = (index(first)?, index(last)?);
        if first <= last { Ok(Self::Indices(first..=last)) } else { Err(error()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_several_or_a_certain_one() {
        assert_eq!("3".parse(), Ok(Excluded::Indices(3..=3)));
        assert_eq!("0..2".parse(), Ok(Excluded::Indices(0..=2)));
        let uuid = Uuid([1; 16]);
        assert_eq!(uuid.to_string().parse(), Ok(Excluded::Uuid(uuid)));
        for text in ["", "a", "2..0", "-1", "0..", "GPU-1"] {
            assert_eq!(text.parse::<Excluded>(), Err(ParseExcludedError(text.to_owned())), "{text}");
        }
    }
}
