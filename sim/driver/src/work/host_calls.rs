//! Host functions that streams call: a thread of the driver's own waits for the streams that come to one.

use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::sync::{Mutex, OnceLock};

use cuda_sys::{CUresult, CUstream};
use sim_kernel::{ContextId, Operation, StreamId};

use super::Lane;
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::Driver;

/// What a stream calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Callback {
    /// `cuLaunchHostFunc`.
    Function(unsafe extern "C" fn(*mut c_void)),
    /// `cuStreamAddCallback`, with the stream's handle.
    Stream(unsafe extern "C" fn(CUstream, CUresult, *mut c_void), usize),
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    callback: Callback,
    /// The program's argument; only it knows what it points to.
    data: usize,
    context: ContextId,
}

/// Host functions that are queued, in the order of their streams.
#[derive(Debug, Default)]
pub(crate) struct HostCalls {
    pending: Mutex<HashMap<StreamId, VecDeque<Pending>>>,
    caller: OnceLock<Outcome>,
}

impl HostCalls {
    /// Queues a call.
    pub(crate) fn enqueue(
        &self,
        driver: &'static Driver,
        lane: &Lane,
        callback: Callback,
        data: usize,
    ) -> Outcome {
        self.caller.get_or_init(|| start(driver)).as_ref().map_err(|code| *code)?;
        let context = lane.context.life()?.id;
        let pending = Pending { callback, data, context };
        // Locked until both sides have it, so that they have it in the same order.
        let mut all = lock(&self.pending);
        lane.enqueue(driver, Operation::HostFunction)?;
        all.entry(lane.id).or_default().push_back(pending);
        Ok(())
    }

    /// Forgets the calls of a context that is gone.
    pub(crate) fn forget(&self, context: ContextId) {
        let mut all = lock(&self.pending);
        for calls in all.values_mut() {
            calls.retain(|call| call.context != context);
        }
        all.retain(|_, calls| !calls.is_empty());
    }

    fn next(&self, stream: StreamId) -> Option<Pending> {
        let mut all = lock(&self.pending);
        let calls = all.get_mut(&stream)?;
        let next = calls.pop_front();
        if calls.is_empty() {
            all.remove(&stream);
        }
        next
    }
}

/// Starts the thread that calls. It blocks every signal: handlers of the program run on the program's threads.
fn start(driver: &'static Driver) -> Outcome {
    let blocked = BlockedSignals::all();
    let started = std::thread::Builder::new().name("vgpu-sim-host".into()).spawn(move || serve(driver));
    drop(blocked);
    started.map(|_| ()).map_err(|_| CUresult::OPERATING_SYSTEM)
}

fn serve(driver: &Driver) {
    while let Ok(call) = driver.client.next_host_call() {
        if let Some(pending) = driver.host_calls.next(call.stream) {
            let data = std::ptr::with_exposed_provenance_mut(pending.data);
            match pending.callback {
                // SAFETY: the program gave the function and its argument for this call.
                Callback::Function(function) => unsafe { function(data) },
                Callback::Stream(function, stream) => {
                    let stream = CUstream(std::ptr::without_provenance_mut(stream));
                    // SAFETY: as above.
                    unsafe { function(stream, CUresult::SUCCESS, data) }
                }
            }
        }
        if driver.client.finish_host_call(call.id).is_err() {
            return;
        }
    }
}

/// Blocks all signals of this thread while it lives; a thread started meanwhile inherits that.
struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    fn all() -> Self {
        let mut all = std::mem::MaybeUninit::uninit();
        let mut before = std::mem::MaybeUninit::uninit();
        // SAFETY: fills the set.
        unsafe { libc::sigfillset(all.as_mut_ptr()) };
        // SAFETY: `all` was filled above; `before` is a place for the old mask.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) };
        // SAFETY: with a valid first argument the call cannot fail, so it filled `before`.
        Self(unsafe { before.assume_init() })
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: restores the mask that `all` read.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, std::ptr::null_mut()) };
    }
}
