//! `cuMemAlloc`.

use super::{Attempt, Kind, any};
use crate::medley::player::Thread;
use crate::medley::random::Random;

#[derive(Default)]
pub(super) struct Linear(Vec<u64>);

impl Kind for Linear {
    fn take(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt {
        let bytes = random.bytes();
        let (code, address) = thread.call(&format!("cuMemAlloc_v2 out {bytes}"));
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
