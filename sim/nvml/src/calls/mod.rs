//! The bodies of the entry points, by subject, each called like its function.

#![allow(non_snake_case, reason = "bodies are called like the functions they implement")]

mod accounting;
mod bootstrap;
mod clocks;
mod ecc;
mod error_string;
mod events;
mod fields;
mod handles;
mod identity;
mod link;
mod memory;
mod modes;
mod pci;
mod power;
mod processes;
mod samples;
mod system;
mod temperature;
mod topology;
mod utilization;

pub(crate) use accounting::*;
pub(crate) use bootstrap::*;
pub(crate) use clocks::*;
pub(crate) use ecc::*;
pub(crate) use error_string::error_string;
pub(crate) use events::*;
pub(crate) use fields::*;
pub(crate) use handles::*;
pub(crate) use identity::*;
pub(crate) use link::*;
pub(crate) use memory::*;
pub(crate) use modes::*;
pub(crate) use pci::*;
pub(crate) use power::*;
pub(crate) use processes::*;
pub(crate) use samples::*;
pub(crate) use system::*;
pub(crate) use temperature::*;
pub(crate) use topology::*;
pub(crate) use utilization::*;

pub(crate) use crate::internal_table::nvmlInternalGetExportTable;
