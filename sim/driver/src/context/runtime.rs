//! Memory that the kernels of a context need beyond what every context has: stacks of more than the usual size for as many
//! threads as the device can run, the heap of `malloc` in kernels, a longer buffer for what they print.
//!
//! Stacks and the buffer follow `cuCtxSetLimit` at once, as the header says of stacks. A kernel with more local memory
//! than a stack makes all stacks grow, and they stay so. The heap comes with the first module that needs it, and its size
//! cannot be changed then.

use std::sync::Mutex;

use cuda_sys::{CUlimit, CUresult};
use sim_kernel::{AllocationId, AllocationRequest, Bytes};

use super::{Context, Life};
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::{Driver, code};

/// Bytes of a thread's stack that every context has room for.
const USUAL_STACK: u64 = 1 << 10;
/// Bytes of the buffer for printing that every context has.
const USUAL_BUFFER: u64 = 1 << 20;

/// What a living context has taken.
#[derive(Debug, Default)]
pub(crate) struct Runtime(Mutex<Parts>);

#[derive(Debug, Default)]
struct Parts {
    stacks: Part,
    heap: Part,
    buffer: Part,
}

/// Memory of one purpose, which grows by pieces.
#[derive(Debug, Default)]
struct Part {
    pieces: Vec<AllocationId>,
    bytes: u64,
}

impl Part {
    /// Makes it so large.
    fn resize(&mut self, driver: &Driver, life: Life, bytes: u64) -> Outcome {
        if bytes < self.bytes {
            self.bytes = 0;
            for piece in self.pieces.drain(..) {
                driver.client.free(piece).map_err(code)?;
            }
        }
        if let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) {
            let request = AllocationRequest::Runtime { bytes: Bytes(more) };
            self.pieces.push(driver.client.allocate(life.id, request).map_err(code)?.id);
            self.bytes = bytes;
        }
        Ok(())
    }
}

impl Context {
    /// Sets a limit; 215 for one that this architecture does not have, 1 for the size of a heap that is there already.
    pub(crate) fn set_limit(&self, driver: &Driver, limit: CUlimit, value: usize) -> Outcome {
        self.limits.get(limit)?;
        let mut parts = lock(&self.runtime.0);
        match limit {
            CUlimit::STACK_SIZE => {
                let bytes = self.stacks(driver, value as u64)?;
                parts.stacks.resize(driver, self.life()?, bytes)?;
            }
            CUlimit::PRINTF_FIFO_SIZE => {
                let bytes = (value as u64).saturating_sub(USUAL_BUFFER);
                parts.buffer.resize(driver, self.life()?, bytes)?;
            }
            CUlimit::MALLOC_HEAP_SIZE if parts.heap.bytes > 0 => return Err(CUresult::INVALID_VALUE),
            _ => {}
        }
        self.limits.set(limit, value)
    }

    /// A kernel with so much local memory a thread is about to run.
    pub(crate) fn make_stacks(&self, driver: &Driver, local: u32) -> Outcome {
        let bytes = self.stacks(driver, u64::from(local))?;
        let mut parts = lock(&self.runtime.0);
        if bytes > parts.stacks.bytes { parts.stacks.resize(driver, self.life()?, bytes) } else { Ok(()) }
    }

    /// A module that needs the heap is loaded; 303 when there is no room for it.
    pub(crate) fn make_heap(&self, driver: &Driver) -> Outcome {
        let mut parts = lock(&self.runtime.0);
        if parts.heap.bytes > 0 {
            return Ok(());
        }
        let bytes = self.limits.get(CUlimit::MALLOC_HEAP_SIZE)? as u64;
        let made = parts.heap.resize(driver, self.life()?, bytes);
        made.map_err(|code| match code {
            CUresult::OUT_OF_MEMORY => CUresult::SHARED_OBJECT_INIT_FAILED,
            other => other,
        })
    }

    /// The context has ended, and the machine has taken all of it back.
    pub(super) fn forget_runtime(&self) {
        *lock(&self.runtime.0) = Parts::default();
    }

    /// Bytes for stacks of such a size, of all threads that can run together, beyond the usual ones.
    fn stacks(&self, driver: &Driver, stack: u64) -> Outcome<u64> {
        let card = &driver.device(self.device)?.description.card;
        let threads = u64::from(card.multiprocessors) * u64::from(card.threads_per_multiprocessor);
        stack.saturating_sub(USUAL_STACK).checked_mul(threads).ok_or(CUresult::OUT_OF_MEMORY)
    }
}
