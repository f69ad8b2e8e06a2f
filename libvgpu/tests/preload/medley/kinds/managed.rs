//! `cuMemAllocManaged`.

use super::{Attempt, Kind, any};
use crate::medley::player::Thread;
use crate::medley::random::Random;

/// `CU_MEM_ATTACH_GLOBAL`, `CU_MEM_ATTACH_HOST`
const ATTACH: [u64; 2] = [1, 2];

#[derive(Default)]
pub(super) struct Managed(Vec<u64>);

impl Kind for Managed {
    fn take(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt {
        let (bytes, attach) = (random.bytes(), ATTACH[random.index(ATTACH.len())]);
        let (code, address) = thread.call(&format!("cuMemAllocManaged out {bytes} {attach}"));
        self.0.extend(address);
        Attempt::of(code, bytes)
    }

    fn give(&mut self, thread: &mut Thread<'_>, random: &mut Random) {
        let address = any(&mut self.0, random);
        thread.does(&format!("cuMemFree_v2 {address}"));
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}
