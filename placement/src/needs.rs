//! What containers need of the devices of one node.

use crate::amount::Amount;
use crate::node::Node;

/// What each kind of container needs of each device, where there is room for one beside what is claimed.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    devices: usize,
    /// Kind by kind.
    all: Vec<Option<Amount>>,
}

impl Needs {
    /// Forgets all, for a node with so many devices.
    pub(crate) fn clear(&mut self, devices: usize) {
        self.devices = devices;
        self.all.clear();
    }

    /// Adds what the next kind needs of each device, and returns it.
    pub(crate) fn add(&mut self, needs: impl Iterator<Item = Option<Amount>>) -> &[Option<Amount>] {
        let start = self.all.len();
        self.all.extend(needs);
        &self.all[start..]
    }

    /// By device.
    pub(crate) fn of(&self, kind: usize) -> &[Option<Amount>] {
        &self.all[kind * self.devices..][..self.devices]
    }
}

/// A node, and what the containers of a pod need of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room<'a> {
    pub node: &'a Node,
    pub needs: &'a Needs,
}

impl Room<'_> {
    /// The devices that have room for a container of this kind beside what the pod holds, with what that is and what it needs.
    pub(crate) fn beside(
        &self,
        kind: usize,
        held: &[Amount],
    ) -> impl Iterator<Item = (usize, Amount, Amount)> {
        let devices = self.node.devices.iter().zip(self.needs.of(kind)).zip(held).enumerate();
        devices.filter_map(|(place, ((device, need), held))| {
            let need = (*need)?;
            // Where the pod holds nothing, there is room.
            let has_room =
                held.slots == 0 || need.fits_beside(device.used.plus(*held), device.capacity).is_ok();
            has_room.then_some((place, *held, need))
        })
    }
}
