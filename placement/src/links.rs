//! How the devices of a node are connected.

/// The way between two devices, from the longest to the shortest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Link {
    /// Not known.
    #[default]
    Unknown,
    /// Across sockets.
    System,
    /// Within a socket, across host bridges.
    Socket,
    /// Across one host bridge.
    HostBridge,
    /// Across several PCIe switches.
    Switches,
    /// Across one PCIe switch.
    Switch,
    /// On one board.
    Board,
    /// Across so many `NVLinks`.
    NvLink(u8),
}

impl Link {
    /// What it is worth to have it: an `NVLink` more than anything else, and each of several counts.
    #[must_use]
    pub const fn worth(self) -> u32 {
        match self {
            Self::Unknown => 0,
            Self::System => 10,
            Self::Socket => 20,
            Self::HostBridge => 30,
            Self::Switches => 40,
            Self::Switch => 50,
            Self::Board => 60,
            Self::NvLink(count) => 100 * count as u32,
        }
    }
}

/// The ways between all devices of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Links {
    devices: usize,
    /// Row by row.
    ways: Vec<Link>,
}

impl Links {
    /// Those of so many devices, of which nothing is known.
    #[must_use]
    pub fn unknown(devices: usize) -> Self {
        Self { devices, ways: vec![Link::Unknown; devices * devices] }
    }

    /// Says what is between two devices. A device that is not there is left out.
    pub fn connect(&mut self, one: usize, other: usize, link: Link) {
        if one < self.devices && other < self.devices && one != other {
            self.ways[one * self.devices + other] = link;
            self.ways[other * self.devices + one] = link;
        }
    }

    /// What is between two devices.
    #[must_use]
    pub fn between(&self, one: usize, other: usize) -> Link {
        let is_known = one < self.devices && other < self.devices;
        if is_known { self.ways[one * self.devices + other] } else { Link::Unknown }
    }

    /// What all ways among these are worth.
    pub(crate) fn worth(&self, set: &[usize]) -> u32 {
        let pairs = set
            .iter()
            .enumerate()
            .flat_map(|(place, one)| set[..place].iter().map(move |other| (*one, *other)));
        pairs.map(|(one, other)| self.between(one, other).worth()).sum()
    }

    /// Whether each of these reaches each other over `NVLinks` among them.
    pub(crate) fn are_meshed(&self, set: &[usize]) -> bool {
        set.first().is_none_or(|first| self.meshed_with(*first, set) == set.len())
    }

    /// How many of `devices` this one reaches over `NVLinks` among them, itself included.
    pub(crate) fn meshed_with(&self, first: usize, devices: &[usize]) -> usize {
        let mut reached = vec![first];
        let mut next = 0;
        while let Some(from) = reached.get(next).copied() {
            next += 1;
            for to in devices {
                if !reached.contains(to) && matches!(self.between(from, *to), Link::NvLink(_)) {
                    reached.push(*to);
                }
            }
        }
        reached.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_nvlinks_is_a_mesh_and_a_gap_is_none() {
        let mut links = Links::unknown(4);
        links.connect(0, 1, Link::NvLink(2));
        links.connect(1, 2, Link::NvLink(1));
        links.connect(2, 3, Link::Board);
        assert!(links.are_meshed(&[2, 0, 1]) && links.are_meshed(&[3]) && links.are_meshed(&[]));
        assert!(!links.are_meshed(&[0, 2]) && !links.are_meshed(&[2, 3]));
        assert_eq!(links.worth(&[0, 1, 2, 3]), 200 + 100 + 60);
    }

    #[test]
    fn devices_that_are_not_there_are_connected_to_nothing() {
        let mut links = Links::unknown(1);
        links.connect(0, 7, Link::Board);
        links.connect(0, 0, Link::Board);
        assert_eq!((links.between(0, 7), links.between(0, 0)), (Link::Unknown, Link::Unknown));
    }
}
