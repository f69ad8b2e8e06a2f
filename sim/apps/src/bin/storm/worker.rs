//! One process that allocates and frees.

use crate::kinds::{Held, Taker};
use crate::options::{Everything, Options};
use crate::random::Random;
use crate::tally::Tally;
use cuda_sys::{CUcontext, CUdeviceptr, CUresult};
use sim_apps::cuda;
use std::ptr::null_mut;

/// `CU_MEM_ATTACH_GLOBAL`
const ATTACH_GLOBAL: u32 = 1;

/// Every pitch of the known GPUs is a multiple of this, so a row of such a width takes exactly its width.
const PITCH: usize = 512;

/// A running worker.
pub(crate) struct Worker(libc::pid_t);

/// Starts a worker.
pub(crate) fn start(options: &Options, tally: &'static Tally, seed: u64) -> Worker {
    // SAFETY: this process has one thread and has made no driver call, so that its child may make all of them.
    match unsafe { libc::fork() } {
        0 => {
            Work { random: Random::new(seed), tally, options, held: Vec::new(), bytes: 0 }.run();
            // SAFETY: ends the child without what its parent registered.
            unsafe { libc::_exit(0) }
        }
        // A machine that cannot fork has fewer workers.
        child => Worker(child),
    }
}

impl Worker {
    /// Kills it, and returns when it is gone.
    pub(crate) fn kill(&self) {
        // SAFETY: a child that has not been waited for, so its number is nobody else's.
        unsafe { libc::kill(self.0, libc::SIGKILL) };
        self.wait();
    }

    /// Waits for its end.
    pub(crate) fn join(self) {
        self.wait();
    }

    fn wait(&self) {
        // SAFETY: no status is asked for.
        unsafe { libc::waitpid(self.0, null_mut(), 0) };
    }
}

struct Work<'a> {
    random: Random,
    tally: &'static Tally,
    options: &'a Options,
    held: Vec<(CUdeviceptr, u64)>,
    bytes: u64,
}

impl Work<'_> {
    fn run(&mut self) {
        // SAFETY: the call takes no pointers.
        let started = unsafe { cuda::cuInit(0) };
        if !started.is_success() {
            self.tally.count("cuInit", started);
            return;
        }
        let mut context = CUcontext(null_mut());
        loop {
            // SAFETY: `context` is valid for writing.
            let created = unsafe { cuda::cuCtxCreate_v2(&raw mut context, 0, 0) };
            if self.tally.is_over() {
                return;
            }
            if self.tally.count("cuCtxCreate_v2", created) {
                break;
            }
            std::thread::yield_now();
        }
        if self.options.everything != Everything::No {
            return self.everything(context);
        }
        while !self.tally.is_over() {
            self.step();
        }
    }

    /// Two threads with this context take every kind of memory.
    fn everything(&mut self, context: CUcontext) {
        let seeds = [self.random.next(), self.random.next()];
        let (tally, options, context) = (self.tally, self.options, context.0.expose_provenance());
        std::thread::scope(|scope| {
            for seed in seeds {
                scope.spawn(move || take_everything(context, seed, options, tally));
            }
        });
    }

    /// Takes a piece, or gives some back where it may not have more.
    fn step(&mut self) {
        let bytes = 1 + self.random.below(self.options.piece);
        if self.bytes + self.rounded(bytes) > self.options.cap {
            return self.give_some_back();
        }
        let (call, result, address, bytes) = self.take(bytes);
        if self.tally.count(call, result) {
            self.held.push((address, bytes));
            self.bytes += bytes;
        } else {
            self.give_some_back();
        }
    }

    /// What a piece of `bytes` may take at most.
    const fn rounded(&self, bytes: u64) -> u64 {
        bytes.next_multiple_of(PITCH as u64)
    }

    /// Asks for a piece, one way or another: the call, its result, the address and the bytes that it takes.
    fn take(&mut self, bytes: u64) -> (&'static str, CUresult, CUdeviceptr, u64) {
        let mut address = 0;
        let size = usize::try_from(bytes).unwrap_or(usize::MAX);
        match self.random.below(4) {
            0 => {
                // SAFETY: `address` is valid for writing.
                let result = unsafe { cuda::cuMemAllocManaged(&raw mut address, size, ATTACH_GLOBAL) };
                ("cuMemAllocManaged", result, address, bytes)
            }
            1 => {
                let (mut pitch, rows) = (0, size.div_ceil(PITCH));
                // SAFETY: both outputs are valid for writing.
                let result =
                    unsafe { cuda::cuMemAllocPitch_v2(&raw mut address, &raw mut pitch, PITCH, rows, 4) };
                ("cuMemAllocPitch_v2", result, address, (PITCH * rows) as u64)
            }
            _ => {
                // SAFETY: `address` is valid for writing.
                ("cuMemAlloc_v2", unsafe { cuda::cuMemAlloc_v2(&raw mut address, size) }, address, bytes)
            }
        }
    }

    /// Frees about half of what it holds.
    fn give_some_back(&mut self) {
        for _ in 0..self.held.len().div_ceil(2) {
            let (address, bytes) = self.held.swap_remove(self.random.below_index(self.held.len()));
            // SAFETY: the address is that of a live allocation.
            let freed = unsafe { cuda::cuMemFree_v2(address) };
            if !freed.is_success() {
                self.tally.count("cuMemFree_v2", freed);
            }
            self.bytes -= bytes;
        }
    }
}

/// Takes and gives back until the storm is over, with the context that was exposed as `context`.
fn take_everything(context: usize, seed: u64, options: &Options, tally: &'static Tally) {
    // SAFETY: a context of this process.
    let current = unsafe { cuda::cuCtxSetCurrent(CUcontext(std::ptr::with_exposed_provenance_mut(context))) };
    tally.count("cuCtxSetCurrent", current);
    let (mut random, mut choices) = (Random::new(seed), Random::new(!seed));
    let mut taker = Taker::new(tally, &mut choices, options.everything == Everything::WithPools);
    let mut held: Vec<(Held, u64)> = Vec::new();
    while !tally.is_over() {
        let bytes = 1 + random.below(options.piece);
        let total: u64 = held.iter().map(|(_, bytes)| bytes).sum();
        let taken = if total + bytes > options.cap { None } else { taker.take(bytes) };
        match taken {
            Some(new) => held.push((new, bytes)),
            None => {
                for _ in 0..held.len().div_ceil(2) {
                    taker.give(&held.swap_remove(random.below_index(held.len())).0);
                }
            }
        }
    }
}
