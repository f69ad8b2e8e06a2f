//! Physical memory without an address, on a driver that has nothing else.

use super::MIB;
use crate::compile;
use crate::puppet::{OUT_OF_MEMORY, Puppet};
use crate::run::Run;
use crate::scratch::Scratch;
use crate::stage;

/// Bytes of each device that the tenant may take.
const LIMIT: u64 = 100 * MIB;

/// `CU_MEM_LOCATION_TYPE_*`
const DEVICE: u64 = 1;
const HOST: u64 = 2;
const LOCALITY_DOMAIN: u64 = 6;

/// A tenant on a driver of its own.
struct Tenant {
    puppet: Puppet,
    _scratch: Scratch,
}

impl Tenant {
    fn new() -> Self {
        let scratch = Scratch::new();
        compile::library(scratch.path(), "libcuda.so.1", "physical.c", &["-Wl,-Bsymbolic-functions"]);
        let run = Run::preloaded(stage::file("bin/puppet"))
            .libraries(scratch.path())
            .env("CUDA_DEVICE_MEMORY_LIMIT", LIMIT.to_string())
            .env("CUDA_DEVICE_MEMORY_SHARED_CACHE", scratch.path().join("region"));
        let mut puppet = Puppet::start(run);
        puppet.does("cuInit 0");
        Self { puppet, _scratch: scratch }
    }

    fn create_at(&mut self, kind: u64, id: u64, bytes: u64) -> Result<u64, u64> {
        let location = kind | id << 32;
        self.puppet.granted(&format!("cuMemCreate out {bytes} in=1,{location} 0"))
    }

    fn create(&mut self, bytes: u64) -> Result<u64, u64> {
        self.create_at(DEVICE, 0, bytes)
    }

    fn does(&mut self, line: String) -> Vec<u64> {
        self.puppet.does(&line)
    }

    fn release(&mut self, handle: u64) {
        self.does(format!("cuMemRelease {handle}"));
    }

    /// Asserts that so much is charged, by what can still be had.
    fn assert_charged(&mut self, bytes: u64) {
        assert_eq!(self.create(LIMIT - bytes + 2 * MIB), Err(OUT_OF_MEMORY), "more than {bytes} are left");
        if bytes < LIMIT {
            let rest = self.create(LIMIT - bytes).expect("no more than that is charged");
            self.release(rest);
        }
    }
}

#[test]
fn the_last_byte_that_fits_is_granted_and_a_release_gives_it_back() {
    let mut tenant = Tenant::new();
    for _ in 0..3 {
        let all = tenant.create(LIMIT).unwrap();
        assert_eq!(tenant.puppet.ask("cuMemCreate out 2097152 in=1,1 0"), "2");
        tenant.release(all);
    }
    tenant.assert_charged(0);
}

#[test]
fn memory_is_charged_where_it_is_and_not_where_a_context_is() {
    let mut tenant = Tenant::new();
    tenant.create_at(DEVICE, 1, LIMIT).unwrap();
    assert_eq!(tenant.create_at(LOCALITY_DOMAIN, 1 | 3 << 8, 2 * MIB), Err(OUT_OF_MEMORY));
    tenant.create_at(HOST, 0, 10 * LIMIT).unwrap();
    tenant.assert_charged(0);
    tenant.create_at(LOCALITY_DOMAIN, 1 << 8, LIMIT).unwrap();
    assert_eq!(tenant.create(2 * MIB), Err(OUT_OF_MEMORY));
}

#[test]
fn a_mapping_keeps_what_has_been_released() {
    let mut tenant = Tenant::new();
    let handle = tenant.create(60 * MIB).unwrap();
    for address in [0x1000_0000_u64, 0x2000_0000] {
        tenant.does(format!("cuMemMap {address} {} 0 {handle} 0", 60 * MIB));
    }
    tenant.release(handle);
    tenant.assert_charged(60 * MIB);
    tenant.does(format!("cuMemUnmap {} {}", 0x1000_0000, 60 * MIB));
    assert_eq!(tenant.puppet.ask(&format!("cuMemUnmap {} {}", 0x2000_0000, 2 * MIB)), "1");
    tenant.assert_charged(60 * MIB);
    tenant.does(format!("cuMemUnmap {} {}", 0x2000_0000, 60 * MIB));
    tenant.assert_charged(0);
}

#[test]
fn one_call_undoes_several_mappings() {
    let mut tenant = Tenant::new();
    for address in [0x1000_0000, 0x1000_0000 + 20 * MIB] {
        let handle = tenant.create(20 * MIB).unwrap();
        tenant.does(format!("cuMemMap {address} {} 0 {handle} 0", 20 * MIB));
        tenant.release(handle);
    }
    tenant.assert_charged(40 * MIB);
    tenant.does(format!("cuMemUnmap {} {}", 0x1000_0000, 40 * MIB));
    tenant.assert_charged(0);
}

#[test]
fn a_retained_handle_is_one_more() {
    let mut tenant = Tenant::new();
    let handle = tenant.create(40 * MIB).unwrap();
    tenant.does(format!("cuMemMap {} {} 0 {handle} 0", 0x1000_0000, 40 * MIB));
    let same = tenant.does(format!("cuMemRetainAllocationHandle out {}", 0x1000_0000 + MIB))[0];
    tenant.release(handle);
    // Of a piece that has no handle any more.
    tenant.release(same);
    let new = tenant.does(format!("cuMemRetainAllocationHandle out {}", 0x1000_0000))[0];
    tenant.does(format!("cuMemUnmap {} {}", 0x1000_0000, 40 * MIB));
    tenant.assert_charged(40 * MIB);
    tenant.release(new);
    tenant.assert_charged(0);
}

#[test]
fn a_multicast_object_keeps_what_is_bound_to_it() {
    let mut tenant = Tenant::new();
    for unbinds in [true, false] {
        let object = tenant.does("cuMulticastCreate out in=1".to_owned())[0];
        tenant.assert_charged(0);
        let handle = tenant.create(40 * MIB).unwrap();
        tenant.does(format!("cuMulticastBindMem {object} {} {handle} 0 {} 0", 2 * MIB, 40 * MIB));
        tenant.release(handle);
        tenant.does(format!("cuMulticastUnbind {object} 0 0 {}", 2 * MIB));
        tenant.assert_charged(40 * MIB);
        if unbinds {
            tenant.does(format!("cuMulticastUnbind {object} 0 {} {}", 2 * MIB, 40 * MIB));
            tenant.assert_charged(0);
        }
        tenant.release(object);
        tenant.assert_charged(0);
    }
}

/// This driver's export is no open file.
#[test]
fn an_export_of_which_nothing_can_be_known_stays_charged() {
    let mut tenant = Tenant::new();
    let foreign = tenant.does("cuMemImportFromShareableHandle out 5 1".to_owned())[0];
    tenant.assert_charged(0);
    let handle = tenant.create(40 * MIB).unwrap();
    tenant.does(format!("cuMemExportToShareableHandle out {handle} 1 0"));
    tenant.release(handle);
    tenant.release(foreign);
    tenant.assert_charged(40 * MIB);
}

#[test]
fn what_the_driver_rejects_is_not_charged() {
    let mut tenant = Tenant::new();
    for line in [
        "cuMemCreate null 2097152 in=1,1 0",
        "cuMemCreate out 2097152 null 0",
        "cuMemCreate out 0 in=1,1 0",
        "cuMemCreate out 5 in=1,1 0",
        "cuMemCreate out 2097152 in=1,1 7",
        "cuMemRelease 77",
        "cuMemMap 4096 2097152 0 77 0",
        "cuMemUnmap 4096 2097152",
        "cuMemRetainAllocationHandle out 4096",
    ] {
        assert_eq!(tenant.puppet.ask(line), "1", "{line}");
    }
    tenant.assert_charged(0);
}
