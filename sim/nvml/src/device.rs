//! Device handles.

use std::sync::Arc;

use cuda_sys::{nvmlDevice_t, nvmlReturn_t};
use sim_kernel::{Client, Condition, DeviceDescription, DeviceIndex, Fault, MachineConfig, Presence};

use crate::abi::{FromAbi, Outcome};
use crate::library;
use crate::session::Session;

/// A handle is the address of a device's mark: the same in every initialisation, and never null.
static MARKS: [u64; MachineConfig::MAX_DEVICES] = [0; MachineConfig::MAX_DEVICES];

/// A device that the caller named by a valid handle.
#[derive(Debug)]
pub(crate) struct Device {
    session: Arc<Session>,
    index: DeviceIndex,
    condition: Condition,
}

/// The handle of a device.
pub(crate) fn handle(index: DeviceIndex) -> Outcome<nvmlDevice_t> {
    let position = usize::try_from(index.0).map_err(|_| nvmlReturn_t::INVALID_ARGUMENT)?;
    let mark = MARKS.get(position).ok_or(nvmlReturn_t::INVALID_ARGUMENT)?;
    Ok(nvmlDevice_t((&raw const *mark).cast_mut().cast()))
}

/// How a device is that can be reached.
///
/// # Errors
/// `GPU_IS_LOST`.
pub(crate) fn reach(session: &Session, index: DeviceIndex) -> Outcome<Condition> {
    let condition = session.ask(|client| client.condition(index))?;
    if condition.presence == Presence::Present { Ok(condition) } else { Err(nvmlReturn_t::GPU_IS_LOST) }
}

impl FromAbi<nvmlDevice_t> for Device {
    unsafe fn from_abi(raw: nvmlDevice_t) -> Outcome<Self> {
        let session = library::session()?;
        let index = session
            .devices()
            .iter()
            .map(|device| device.index)
            .find(|index| handle(*index) == Ok(raw))
            .ok_or(nvmlReturn_t::INVALID_ARGUMENT)?;
        let condition = reach(&session, index)?;
        Ok(Self { session, index, condition })
    }
}

impl Device {
    /// Its position in the machine.
    pub(crate) fn index(&self) -> DeviceIndex {
        self.index
    }

    /// Its place among the devices of the connection it was named through.
    pub(crate) fn position(&self) -> Outcome<u32> {
        let before = self.session.devices().iter().take_while(|device| device.index != self.index);
        u32::try_from(before.count()).map_err(|_| nvmlReturn_t::UNKNOWN)
    }

    /// How it was when it was named.
    pub(crate) fn condition(&self) -> Condition {
        self.condition
    }

    /// What is known of it.
    pub(crate) fn description(&self) -> Outcome<&DeviceDescription> {
        self.session.device(self.index)
    }

    /// The connection it was named through.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Asks the machine about it.
    pub(crate) fn ask<T>(
        &self,
        question: impl FnOnce(&Client, DeviceIndex) -> Result<T, Fault>,
    ) -> Outcome<T> {
        self.session.ask(|client| question(client, self.index))
    }
}
