//! A puppet with words for physical memory.

use super::MIB;
use crate::machine::Machine;
use crate::puppet::Puppet;
use crate::run::Run;

/// What a tenant may hold.
pub(super) const LIMIT: u64 = 100 * MIB;

/// `CU_MEM_LOCATION_TYPE_*`
pub(super) const DEVICE: u64 = 1;
pub(super) const HOST_NUMA: u64 = 3;

/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`
pub(super) const DESCRIPTOR: u64 = 1;

/// A process that has initialised the driver and no context: so what it holds is what it asked for.
pub(super) struct Tenant(pub(super) Puppet);

impl Tenant {
    pub(super) fn new(run: Run) -> Self {
        let mut puppet = Puppet::start(run);
        puppet.does("cuInit 0");
        Self(puppet)
    }

    pub(super) fn limited(machine: &Machine) -> Self {
        Self::new(machine.limited(&LIMIT.to_string()))
    }

    pub(super) fn does(&mut self, line: String) -> Vec<u64> {
        self.0.does(&line)
    }

    pub(super) fn code(&mut self, line: String) -> u64 {
        self.0.numbers(&line)[0]
    }

    /// What `cuMemCreate` answers, in full.
    pub(super) fn create_at(&mut self, kind: u64, id: u64, types: u64, bytes: u64) -> String {
        self.0.ask(&format!("cuMemCreate out {bytes} in={},{} 0", 1 | types << 32, kind | id << 32))
    }

    /// A handle of memory of the first device that can be exported.
    pub(super) fn create(&mut self, bytes: u64) -> u64 {
        let answer = self.create_at(DEVICE, 0, DESCRIPTOR, bytes);
        let handle = answer.strip_prefix("0 ").unwrap_or_else(|| panic!("{bytes} bytes: {answer}"));
        handle.parse().expect("a handle")
    }

    pub(super) fn release(&mut self, handle: u64) {
        self.does(format!("cuMemRelease {handle}"));
    }

    pub(super) fn reserve(&mut self, bytes: u64) -> u64 {
        self.does(format!("cuMemAddressReserve out {bytes} 0 0 0"))[0]
    }

    pub(super) fn map(&mut self, address: u64, bytes: u64, handle: u64) {
        self.does(format!("cuMemMap {address} {bytes} 0 {handle} 0"));
    }

    pub(super) fn unmap(&mut self, address: u64, bytes: u64) {
        self.does(format!("cuMemUnmap {address} {bytes}"));
    }

    /// Lets the first device read and write. (The description is a device, 0, and read and write.)
    pub(super) fn open(&mut self, address: u64, bytes: u64) {
        self.does(format!("cuMemSetAccess {address} {bytes} in={DEVICE},3 1"));
    }

    pub(super) fn export(&mut self, handle: u64) -> u64 {
        self.does(format!("cuMemExportToShareableHandle out {handle} {DESCRIPTOR} 0"))[0]
    }

    pub(super) fn import(&mut self, descriptor: u64) -> u64 {
        self.does(format!("cuMemImportFromShareableHandle out {descriptor} {DESCRIPTOR}"))[0]
    }

    pub(super) fn close(&mut self, descriptor: u64) {
        self.does(format!("close {descriptor}"));
    }

    /// Asserts that so much is charged, by what can still be had.
    pub(super) fn assert_charged(&mut self, bytes: u64) {
        let more = self.create_at(DEVICE, 0, 0, LIMIT - bytes + 2 * MIB);
        assert_eq!(more, "2", "more than {} are left", LIMIT - bytes);
        if bytes < LIMIT {
            let rest = self.create(LIMIT - bytes);
            self.release(rest);
        }
    }
}

/// Passes a descriptor from one process to another, which gets one of its own.
pub(super) fn pass(machine: &Machine, from: &mut Tenant, descriptor: u64, to: &mut Tenant) -> u64 {
    from.0.pass(descriptor, &mut to.0, &machine.path("descriptor"))
}

/// What was asked for on the first device and is still there.
pub(super) fn requested(machine: &Machine) -> u64 {
    machine.truth()["device.0.requested"]
}
