//! Which blocks of managed memory are on which device, and which of them goes first.

use std::collections::BTreeMap;

use crate::{AllocationId, Bytes, DeviceIndex};

/// A block of a managed allocation, by number from its start.
pub(super) type Block = (AllocationId, u64);

/// A block on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Resident {
    pub(super) device: DeviceIndex,
    pub(super) bytes: Bytes,
    /// When it was last used: a count of uses, not a time.
    used: u64,
}

/// Blocks of managed memory that are on devices; all others are on the host.
#[derive(Clone, Debug, Default)]
pub(super) struct Residency {
    blocks: BTreeMap<Block, Resident>,
    by_age: BTreeMap<(DeviceIndex, u64), Block>,
    uses: u64,
}

impl Residency {
    /// Where a block is; `None` for the host.
    pub(super) fn get(&self, block: Block) -> Option<Resident> {
        self.blocks.get(&block).copied()
    }

    /// The block is on the device and was used just now.
    pub(super) fn insert(&mut self, block: Block, device: DeviceIndex, bytes: Bytes) {
        self.remove(block);
        self.uses += 1;
        self.blocks.insert(block, Resident { device, bytes, used: self.uses });
        self.by_age.insert((device, self.uses), block);
    }

    /// The block goes to the host.
    pub(super) fn remove(&mut self, block: Block) -> Option<Resident> {
        let resident = self.blocks.remove(&block)?;
        self.by_age.remove(&(resident.device, resident.used));
        Some(resident)
    }

    /// The block of this device that was not used for longest.
    pub(super) fn oldest(&self, device: DeviceIndex) -> Option<Block> {
        self.by_age.range((device, 0)..=(device, u64::MAX)).next().map(|(_, block)| *block)
    }

    /// Blocks of an allocation that are on a device.
    pub(super) fn blocks_of(&self, allocation: AllocationId) -> Vec<Block> {
        self.blocks.range((allocation, 0)..=(allocation, u64::MAX)).map(|(block, _)| *block).collect()
    }
}

#[cfg(test)]
impl Residency {
    /// Managed memory on all devices.
    pub(super) fn total(&self) -> Bytes {
        Bytes(self.blocks.values().map(|resident| resident.bytes.0).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICE: DeviceIndex = DeviceIndex(0);

    #[test]
    fn using_a_block_again_makes_it_the_youngest() {
        let mut residency = Residency::default();
        let blocks = [(AllocationId(1), 0), (AllocationId(1), 1), (AllocationId(2), 0)];
        for block in blocks {
            residency.insert(block, DEVICE, Bytes(1));
        }
        residency.insert(blocks[0], DEVICE, Bytes(1));
        assert_eq!(residency.oldest(DEVICE), Some(blocks[1]));
        assert_eq!(residency.oldest(DeviceIndex(1)), None);
        assert_eq!(residency.blocks_of(AllocationId(1)), blocks[..2]);
    }
}
