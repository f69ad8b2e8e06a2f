//! What observers let become of devices.

use std::collections::{BTreeMap, VecDeque};

use sim_model::{DeviceDescription, DeviceIndex, Refusal};

use super::super::clock;
use super::Desk;
use crate::protocol::{Condition, Disturbance, Incident, Presence};

/// Incidents that are remembered.
const INCIDENTS_MAX: usize = 256;

/// How the devices are that are not as they should be, and what was reported last.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    conditions: BTreeMap<DeviceIndex, Condition>,
    incidents: VecDeque<Incident>,
    reported: u64,
}

impl Conditions {
    fn of(&self, device: DeviceIndex) -> Condition {
        self.conditions.get(&device).copied().unwrap_or_default()
    }
}

impl Desk {
    /// The devices that whoever looks now finds.
    pub(super) fn found(&self) -> Vec<DeviceDescription> {
        let is_there =
            |device: &&DeviceDescription| self.conditions.of(device.index).presence != Presence::Absent;
        self.machine.devices().iter().filter(is_there).cloned().collect()
    }

    pub(super) fn condition(&self, device: DeviceIndex) -> Result<Condition, Refusal> {
        self.known(device).map(|()| self.conditions.of(device))
    }

    /// Incidents with a greater number, oldest first, as far as they are remembered.
    pub(super) fn incidents(&self, after: u64) -> Vec<Incident> {
        self.conditions.incidents.iter().filter(|incident| incident.number > after).copied().collect()
    }

    pub(super) fn disturb(&mut self, disturbance: Disturbance) -> Result<(), Refusal> {
        match disturbance {
            Disturbance::Condition(device, condition) => {
                self.known(device)?;
                self.conditions.conditions.insert(device, condition);
            }
            Disturbance::Xid(device, xid) => {
                self.known(device)?;
                let of = &mut self.conditions;
                of.reported += 1;
                of.incidents.push_back(Incident { number: of.reported, device, xid });
                if of.incidents.len() > INCIDENTS_MAX {
                    of.incidents.pop_front();
                }
            }
            Disturbance::Hang(time) => self.hangs_until = clock() + time,
        }
        Ok(())
    }

    fn known(&self, device: DeviceIndex) -> Result<(), Refusal> {
        let known = self.machine.devices().iter().any(|known| known.index == device);
        if known { Ok(()) } else { Err(Refusal::InvalidDevice) }
    }
}

#[cfg(test)]
mod tests {
    use sim_model::{MachineConfig, Nanos};

    use super::*;

    const FIRST: DeviceIndex = DeviceIndex(0);

    fn desk() -> Desk {
        Desk::new(&MachineConfig::with_devices(2), Nanos(0)).expect("two default devices")
    }

    #[test]
    fn who_looks_does_not_find_a_device_that_is_absent() {
        let mut desk = desk();
        let absent = Condition { presence: Presence::Absent, ..Condition::default() };
        assert_eq!(desk.disturb(Disturbance::Condition(FIRST, absent)), Ok(()));
        assert_eq!(desk.found().iter().map(|device| device.index.0).collect::<Vec<_>>(), [1]);
        assert_eq!(desk.condition(FIRST), Ok(absent));
        assert_eq!(desk.condition(DeviceIndex(2)), Err(Refusal::InvalidDevice));
    }

    #[test]
    fn incidents_are_numbered_and_the_oldest_are_forgotten() {
        let mut desk = desk();
        for xid in 0..300 {
            desk.disturb(Disturbance::Xid(FIRST, xid)).expect("a device");
        }
        assert_eq!(
            desk.incidents(298).iter().map(|of| (of.number, of.xid)).collect::<Vec<_>>(),
            [(299, 298), (300, 299)]
        );
        assert_eq!(desk.incidents(0).len(), INCIDENTS_MAX);
        assert_eq!(desk.disturb(Disturbance::Xid(DeviceIndex(2), 1)), Err(Refusal::InvalidDevice));
    }
}
