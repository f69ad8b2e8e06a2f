//! Stream-ordered memory: what pools take from their device is charged, whoever uses it.

mod answers;
mod ends;
mod races;
mod size;
mod which;

use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::Puppet;

/// What the simulated driver's pools take at least when they grow.
const STEP: u64 = 32 * MIB;

/// What a tenant of 1 GiB with a context has left: 18 steps and 22 MiB.
const LEFT: u64 = GIB - CONTEXT;

fn tenant(machine: &Machine) -> Puppet {
    Puppet::with_context(machine.limited("1g"))
}

/// Memory of the pool of the first GPU, in the legacy default stream.
fn allocate(tenant: &mut Puppet, bytes: u64) -> Result<u64, u64> {
    tenant.granted(&format!("cuMemAllocAsync out {bytes} 0"))
}

fn free(tenant: &mut Puppet, address: u64) {
    tenant.does(&format!("cuMemFreeAsync {address} 0"));
}

/// A pool of `device`, with as many bytes at most or without a bound of its own for 0.
fn create_pool(tenant: &mut Puppet, device: u64, most: u64) -> u64 {
    tenant.does(&format!("cuMemPoolCreate out in=1,{},0,{most}", 1 | device << 32))[0]
}

fn allocate_from(tenant: &mut Puppet, pool: u64, bytes: u64) -> Result<u64, u64> {
    tenant.granted(&format!("cuMemAllocFromPoolAsync out {bytes} {pool} 0"))
}

/// Lets the default pool keep what it has.
fn keep_all(tenant: &mut Puppet) -> u64 {
    let pool = tenant.does("cuDeviceGetDefaultMemPool out 0")[0];
    tenant.does(&format!("cuMemPoolSetAttribute {pool} 4 in=0xffffffffffffffff"));
    pool
}

/// Fills the slice with allocations of a step each.
fn fill(tenant: &mut Puppet) -> Vec<u64> {
    let mut all = Vec::new();
    while let Ok(address) = allocate(tenant, STEP) {
        all.push(address);
    }
    all
}

/// The driver never gave more than 1 GiB, and never saw a request that it had to refuse.
fn assert_within_limit(machine: &Machine) {
    super::books::assert_within(machine, GIB);
}
