//! A device as this process sees it.

mod attributes;

use std::sync::{Arc, Mutex};

use sim_kernel::DeviceDescription;

use crate::context::{Context, Origin};
use crate::handles::Handles;
use crate::memory::DevicePools;

/// A visible device.
#[derive(Debug)]
pub(crate) struct Device {
    /// Its number in this process.
    pub(crate) ordinal: i32,
    /// What the machine says of it.
    pub(crate) description: DeviceDescription,
    /// The primary context: one object and one handle for the life of the process, alive while it is retained.
    pub(crate) primary: Arc<Context>,
    /// How often the primary context is retained.
    pub(crate) retained: Mutex<u32>,
    /// Its pools: the default one and the current one.
    pub(crate) pools: DevicePools,
}

impl Device {
    /// Takes in a device of the machine.
    pub(crate) fn new(ordinal: i32, description: DeviceDescription, contexts: &Handles<Context>) -> Self {
        let primary = contexts.insert_with(|handle| Context::new(handle, ordinal, 0, Origin::Primary));
        Self { ordinal, description, primary, retained: Mutex::new(0), pools: DevicePools::default() }
    }
}
