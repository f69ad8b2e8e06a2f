//! One connection to the simulated machine, and what it said of itself.

use std::io::Write;

use cuda_sys::nvmlReturn_t;
use sim_kernel::{
    Client, ConnectOptions, DeviceDescription, DeviceIndex, Fault, Kind, MachineDescription, Refusal,
};

use crate::abi::Outcome;
use crate::branch::selected;
use crate::clock::Calendar;
use crate::program;

/// A connection and the machine behind it.
#[derive(Debug)]
pub(crate) struct Session {
    client: Client,
    machine: MachineDescription,
    /// How its samples' times are told.
    pub(crate) calendar: Calendar,
    /// The process that made it: a forked child needs its own.
    pub(crate) owner: u32,
}

impl Session {
    /// Connects, and starts the machine when it is not running.
    ///
    /// # Errors
    /// `DRIVER_NOT_LOADED`, with one line on stderr: a code cannot say which path is wrong.
    pub(crate) fn open() -> Outcome<Self> {
        let options =
            ConnectOptions::from_environment(Kind::Nvml, selected().name, program::beside_the_library());
        let client = Client::connect(&options).map_err(|error| {
            // Not `eprintln`, which panics when nobody reads the other end.
            let _ = writeln!(std::io::stderr(), "vgpu-sim: {error}");
            nvmlReturn_t::DRIVER_NOT_LOADED
        })?;
        let machine = client.machine().map_err(lost)?;
        Ok(Self { client, machine, calendar: Calendar::now(), owner: std::process::id() })
    }

    /// The devices by index.
    pub(crate) fn devices(&self) -> &[DeviceDescription] {
        &self.machine.devices
    }

    /// The device of this index in the machine.
    pub(crate) fn device(&self, index: DeviceIndex) -> Outcome<&DeviceDescription> {
        let found = self.machine.devices.iter().find(|device| device.index == index);
        found.ok_or(nvmlReturn_t::INVALID_ARGUMENT)
    }

    /// The device at this place among those that were there when the connection was made.
    pub(crate) fn at(&self, place: u32) -> Outcome<&DeviceDescription> {
        let place = usize::try_from(place).map_err(|_| nvmlReturn_t::INVALID_ARGUMENT)?;
        self.machine.devices.get(place).ok_or(nvmlReturn_t::INVALID_ARGUMENT)
    }

    /// Version of the driver, as the machine is described or as the branch has it.
    pub(crate) fn driver_version(&self) -> &str {
        self.machine.driver_version.as_deref().unwrap_or_else(|| selected().driver)
    }

    /// Asks the machine.
    pub(crate) fn ask<T>(&self, question: impl FnOnce(&Client) -> Result<T, Fault>) -> Outcome<T> {
        question(&self.client).map_err(lost)
    }
}

/// The machine is gone or does not answer as it should: to NVML's user, the device is out of reach.
fn lost(fault: Fault) -> nvmlReturn_t {
    match fault {
        Fault::Disconnected => nvmlReturn_t::GPU_IS_LOST,
        Fault::Refused(Refusal::InvalidDevice) => nvmlReturn_t::INVALID_ARGUMENT,
        Fault::Refused(_) => nvmlReturn_t::UNKNOWN,
    }
}
