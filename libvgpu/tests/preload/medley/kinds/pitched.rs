//! `cuMemAllocPitch`: rows of which the driver says how far apart they are.

use super::{Attempt, Kind, any};
use crate::medley::player::Thread;
use crate::medley::random::Random;

const ELEMENTS: [u64; 3] = [4, 8, 16];

#[derive(Default)]
pub(super) struct Pitched(Vec<u64>);

impl Kind for Pitched {
    fn take(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt {
        let bytes = random.bytes();
        let width = 1 + random.below(bytes);
        let (rows, element) = (bytes.div_ceil(width), ELEMENTS[random.index(ELEMENTS.len())]);
        let (code, written) = thread.call(&format!("cuMemAllocPitch_v2 out out {width} {rows} {element}"));
        self.0.extend(written.first());
        // A row takes at least what is asked for, in units of a cache line.
        Attempt::of(code, width.next_multiple_of(PITCH) * rows)
    }

    fn give(&mut self, thread: &mut Thread<'_>, random: &mut Random) {
        let address = any(&mut self.0, random);
        thread.does(&format!("cuMemFree_v2 {address}"));
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// What the simulated driver rounds rows to.
const PITCH: u64 = 512;
