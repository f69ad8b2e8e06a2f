//! Device handles.

use std::sync::Arc;

use cuda_sys::{nvmlDevice_t, nvmlReturn_t};
use sim_kernel::{Client, DeviceDescription, DeviceIndex, Fault, MachineConfig};

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
}

/// The handle of a device.
pub(crate) fn handle(index: DeviceIndex) -> Outcome<nvmlDevice_t> {
    let position = usize::try_from(index.0).map_err(|_| nvmlReturn_t::INVALID_ARGUMENT)?;
    let mark = MARKS.get(position).ok_or(nvmlReturn_t::INVALID_ARGUMENT)?;
    Ok(nvmlDevice_t((&raw const *mark).cast_mut().cast()))
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
        Ok(Self { session, index })
    }
}

impl Device {
    /// Its position in the machine.
    pub(crate) fn index(&self) -> DeviceIndex {
        self.index
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
