//! Contexts beside the one that everything else is in, and memory that ends with them.

use super::{Attempt, Kind, any};
use crate::machine::CONTEXT;
use crate::medley::player::Thread;
use crate::medley::random::Random;

#[derive(Default)]
pub(super) struct Contexts(Vec<u64>);

impl Kind for Contexts {
    fn take(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt {
        let (code, context) = thread.call("cuCtxCreate_v2 out 0 0");
        if code == 0 {
            for _ in 0..random.below(3) {
                // Whether it is granted or not.
                thread.call(&format!("cuMemAlloc_v2 out {}", random.bytes()));
            }
            thread.does("cuCtxPopCurrent_v2 out");
        }
        self.0.extend(context);
        Attempt::of(code, CONTEXT)
    }

    fn give(&mut self, thread: &mut Thread<'_>, random: &mut Random) {
        let context = any(&mut self.0, random);
        thread.does(&format!("cuCtxDestroy_v2 {context}"));
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}
