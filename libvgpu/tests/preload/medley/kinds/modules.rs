//! Code and stacks, of which nobody says beforehand what they take.

use super::{Attempt, Kind, any};
use crate::medley::player::Thread;
use crate::medley::random::Random;

/// `CU_LIMIT_STACK_SIZE`
const STACK: u32 = 0;

/// Bytes of a thread's stack, and what those of all threads of the card take beyond what every context has.
const STACKS: [u64; 3] = [1024, 1280, 2048];

/// Threads that the card runs at once.
const THREADS: u64 = 132 * 2048;

pub(super) struct Modules {
    /// The files of images.
    images: Vec<String>,
    modules: Vec<u64>,
}

impl Modules {
    pub(super) fn new(images: &[String]) -> Self {
        Self { images: images.to_vec(), modules: Vec::new() }
    }
}

impl Kind for Modules {
    fn take(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt {
        if random.one_in(4) {
            let bytes = STACKS[random.index(STACKS.len())];
            let (code, _) = thread.call(&format!("cuCtxSetLimit {STACK} {bytes}"));
            return Attempt::of(code, (bytes - STACKS[0]) * THREADS);
        }
        let image = &self.images[random.index(self.images.len())];
        let (code, written) = thread.call(&format!("cuModuleLoad out '{image}'"));
        self.modules.extend(written);
        Attempt::of(code, 0)
    }

    fn give(&mut self, thread: &mut Thread<'_>, random: &mut Random) {
        let module = any(&mut self.modules, random);
        thread.does(&format!("cuModuleUnload {module}"));
    }

    fn len(&self) -> usize {
        self.modules.len()
    }

    fn finish(&mut self, thread: &mut Thread<'_>) {
        thread.does(&format!("cuCtxSetLimit {STACK} {}", STACKS[0]));
    }
}
