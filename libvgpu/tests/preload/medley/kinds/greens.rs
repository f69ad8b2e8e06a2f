//! Green contexts, which keep the primary context alive, and memory of that, which ends with it.

use super::{Attempt, Kind, any};
use crate::machine::CONTEXT;
use crate::medley::player::Thread;
use crate::medley::random::Random;

/// `CU_DEV_RESOURCE_TYPE_SM`
const MULTIPROCESSORS: u32 = 1;

/// `CU_GREEN_CTX_DEFAULT_STREAM`
const DEFAULT_STREAM: u32 = 1;

/// As many as are worth having.
const MANY: usize = 4;

pub(super) struct Greens {
    /// What the multiprocessors of a green context are called.
    desc: u64,
    greens: Vec<Green>,
    /// Memory of the primary context.
    memory: Vec<u64>,
    /// How often the primary context is retained beside.
    retained: usize,
}

struct Green {
    handle: u64,
    /// What it is called where a context is asked for.
    view: u64,
}

impl Greens {
    pub(super) fn new(thread: &mut Thread<'_>) -> Self {
        // A resource is 144 bytes; only the first 128 of them say something.
        let resource = thread.does(&format!("cuDeviceGetDevResource 0 out*18 {MULTIPROCESSORS}"));
        let words: Vec<String> = resource[..16].iter().map(u64::to_string).collect();
        let desc = thread.does(&format!("cuDevResourceGenerateDesc out in={} 1", words.join(",")))[0];
        Self { desc, greens: Vec::new(), memory: Vec::new(), retained: 0 }
    }

    /// What has to be there for the primary context.
    const fn needed(&self) -> u64 {
        if self.greens.is_empty() && self.retained == 0 { CONTEXT } else { 0 }
    }

    fn create(&mut self, thread: &mut Thread<'_>) -> Attempt {
        let (code, written) = thread.call(&format!("cuGreenCtxCreate out {} 0 {DEFAULT_STREAM}", self.desc));
        let attempt = Attempt::of(code, self.needed());
        self.greens.extend(written.first().map(|&handle| {
            let view = thread.does(&format!("cuCtxFromGreenCtx out {handle}"))[0];
            Green { handle, view }
        }));
        attempt
    }

    fn retain(&mut self, thread: &mut Thread<'_>) -> Attempt {
        let (code, _) = thread.call("cuDevicePrimaryCtxRetain out 0");
        let attempt = Attempt::of(code, self.needed());
        self.retained += usize::from(!attempt.is_refused);
        attempt
    }

    fn allocate(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt {
        let bytes = random.bytes();
        let allocate = format!("cuMemAlloc_v2 out {bytes}");
        let (code, address) = self.within(thread, random, |thread| thread.call(&allocate));
        self.memory.extend(address);
        Attempt::of(code, bytes)
    }

    /// Does something while one of the green contexts is current.
    fn within<T>(
        &self,
        thread: &mut Thread<'_>,
        random: &mut Random,
        act: impl FnOnce(&mut Thread<'_>) -> T,
    ) -> T {
        let view = self.greens[random.index(self.greens.len())].view;
        thread.does(&format!("cuCtxPushCurrent_v2 {view}"));
        let done = act(thread);
        thread.does("cuCtxPopCurrent_v2 out");
        done
    }

    /// Memory goes with the last that keeps the primary context.
    fn forget(&mut self) {
        if self.greens.is_empty() && self.retained == 0 {
            self.memory.clear();
        }
    }
}

impl Kind for Greens {
    fn take(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt {
        match random.below(4) {
            0 if self.retained < MANY => self.retain(thread),
            1 | 2 if !self.greens.is_empty() => self.allocate(thread, random),
            _ if self.greens.len() < MANY => self.create(thread),
            _ => self.allocate(thread, random),
        }
    }

    fn give(&mut self, thread: &mut Thread<'_>, random: &mut Random) {
        if !self.memory.is_empty() && !self.greens.is_empty() && random.one_in(2) {
            let address = any(&mut self.memory, random);
            self.within(thread, random, |thread| thread.does(&format!("cuMemFree_v2 {address}")));
        } else if self.retained > 0 && (self.greens.is_empty() || random.one_in(2)) {
            thread.does("cuDevicePrimaryCtxRelease_v2 0");
            self.retained -= 1;
        } else {
            let green = any(&mut self.greens, random);
            thread.does(&format!("cuGreenCtxDestroy {}", green.handle));
        }
        self.forget();
    }

    fn len(&self) -> usize {
        self.greens.len() + self.memory.len() + self.retained
    }
}
