//! Stream-ordered memory: the default pool, and pools that keep some, all or nothing of what they have.

use super::{Attempt, Kind, POOL_STEP, any};
use crate::medley::MIB;
use crate::medley::player::Thread;
use crate::medley::random::Random;

/// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`
const RELEASE_THRESHOLD: u64 = 4;

pub(super) struct Pools {
    pools: Vec<u64>,
    held: Vec<u64>,
}

impl Pools {
    pub(super) fn new(thread: &mut Thread<'_>) -> Self {
        let mut pools = vec![thread.does("cuDeviceGetDefaultMemPool out 0")[0]];
        for keeps in [0, 100 * MIB, u64::MAX] {
            let pool = thread.does("cuMemPoolCreate out in=1,1,0,0")[0];
            thread.does(&format!("cuMemPoolSetAttribute {pool} {RELEASE_THRESHOLD} in={keeps:#x}"));
            pools.push(pool);
        }
        Self { pools, held: Vec::new() }
    }

    fn pool(&self, random: &mut Random) -> u64 {
        self.pools[random.index(self.pools.len())]
    }
}

impl Kind for Pools {
    fn take(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt {
        let (bytes, pool) = (random.bytes(), self.pool(random));
        let (code, address) = thread.call(&format!("cuMemAllocFromPoolAsync out {bytes} {pool} 0"));
        self.held.extend(address);
        // No piece that the pool has need be large enough.
        Attempt::of(code, bytes.next_multiple_of(POOL_STEP))
    }

    fn give(&mut self, thread: &mut Thread<'_>, random: &mut Random) {
        let address = any(&mut self.held, random);
        match random.below(3) {
            0 => drop(thread.does(&format!("cuMemFree_v2 {address}"))),
            _ => drop(thread.does(&format!("cuMemFreeAsync {address} 0"))),
        }
        match random.below(3) {
            0 => drop(thread.does("cuStreamSynchronize 0")),
            1 => drop(thread.does("cuCtxSynchronize")),
            _ => {
                let (pool, keep) = (self.pool(random), random.bytes());
                thread.does("cuStreamSynchronize 0");
                thread.does(&format!("cuMemPoolTrimTo {pool} {keep}"));
            }
        }
    }

    fn len(&self) -> usize {
        self.held.len()
    }

    fn finish(&mut self, thread: &mut Thread<'_>) {
        thread.does("cuCtxSynchronize");
        for pool in &self.pools {
            thread.does(&format!("cuMemPoolTrimTo {pool} 0"));
        }
    }
}
