//! Contexts.

mod green;
mod limits;
mod primary;
mod runtime;
mod stack;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use cuda_sys::CUresult;
use sim_kernel::{ContextId, StreamId};

use crate::array;
use crate::device::Device;
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::{Driver, code};
use runtime::Runtime;

pub(crate) use green::{Green, Share};
pub(crate) use limits::Limits;
pub(crate) use primary::{release, reset, retain, set_primary_flags};
pub(crate) use stack::{current, pop, push, replace, top};

/// Every flag a context can be created with: scheduling (0 to 4, in three bits), mapped host memory, local memory
/// that is kept, core dumps, synchronous copies.
pub(crate) const KNOWN_FLAGS: u32 = 0xff;
/// The scheduling flags, of which one may be set.
const SCHEDULING: u32 = 7;

/// How a context came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// `cuCtxCreate`, of this version of the API.
    Created {
        /// 3010 or 3020: what `cuCtxGetApiVersion` tells.
        api_version: u32,
    },
    /// The device's primary context.
    Primary,
    /// A green context, whose life is the primary one's.
    Green,
}

/// What the machine knows a living context by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Life {
    /// The context.
    pub(crate) id: ContextId,
    /// Its legacy default stream.
    pub(crate) legacy_stream: StreamId,
}

/// A context, alive or dead: threads may have a dead one current.
#[derive(Debug)]
pub(crate) struct Context {
    /// What the caller calls it.
    pub(crate) handle: usize,
    /// The device's ordinal.
    pub(crate) device: i32,
    /// How it came to be.
    pub(crate) origin: Origin,
    /// Creation flags.
    pub(crate) flags: AtomicU32,
    /// `cuCtxAttach` less `cuCtxDetach`, from 1.
    pub(crate) uses: AtomicU32,
    /// What `cuCtxSetLimit` and its relatives keep.
    pub(crate) limits: Limits,
    /// What its kernels need beyond what every context has.
    runtime: Runtime,
    life: Mutex<Option<Life>>,
    /// The error that every later call gets; 0: none.
    sticky: AtomicU32,
    /// Operations queued so far.
    queued: AtomicU64,
    /// Of these, how many are known to be done.
    done: AtomicU64,
}

impl Context {
    /// A context that is not alive yet.
    pub(crate) fn new(handle: usize, device: i32, flags: u32, origin: Origin) -> Self {
        Self {
            handle,
            device,
            origin,
            flags: AtomicU32::new(flags),
            uses: AtomicU32::new(1),
            limits: Limits::default(),
            runtime: Runtime::default(),
            life: Mutex::new(None),
            sticky: AtomicU32::new(0),
            queued: AtomicU64::new(0),
            done: AtomicU64::new(0),
        }
    }

    /// What the machine knows it by; 709 when it is dead.
    pub(crate) fn life(&self) -> Outcome<Life> {
        lock(&self.life).ok_or(CUresult::CONTEXT_IS_DESTROYED)
    }

    /// Whether it is alive.
    pub(crate) fn is_alive(&self) -> bool {
        lock(&self.life).is_some()
    }

    /// The error that every call in it gets.
    pub(crate) fn check(&self) -> Outcome {
        match self.sticky.load(Ordering::Acquire) {
            0 => Ok(()),
            code => Err(CUresult(code)),
        }
    }

    /// Makes `code` the error of every later call.
    pub(crate) fn spoil(&self, code: CUresult) {
        // The first error is the one that a program is told again and again.
        let _ = self.sticky.compare_exchange(0, code.0, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Notes that an operation was queued.
    pub(crate) fn note_work(&self) {
        self.queued.fetch_add(1, Ordering::AcqRel);
    }

    /// Waits for all its work; asks the machine only when some was queued since the last wait.
    pub(crate) fn synchronize(&self, driver: &Driver) -> Outcome {
        let life = self.life()?;
        let queued = self.queued.load(Ordering::Acquire);
        if self.done.load(Ordering::Acquire) < queued {
            driver.client.synchronize_context(life.id).map_err(code)?;
            self.done.fetch_max(queued, Ordering::AcqRel);
        }
        Ok(())
    }

    /// Brings it to life on its device, unless it is alive.
    fn revive(&self, driver: &Driver, device: &Device) -> Outcome {
        let mut life = lock(&self.life);
        if life.is_some() {
            return Ok(());
        }
        let made = driver.client.create_context(device.description.index).map_err(code)?;
        self.sticky.store(0, Ordering::Release);
        *life = Some(Life { id: made.id, legacy_stream: made.legacy_stream });
        drop(life);
        if driver.loads_lazily {
            return Ok(());
        }
        let loaded = driver.libraries.all().iter().try_for_each(|library| library.enter(driver, self));
        loaded.or_else(|code| self.kill(driver).and(Err(code)))
    }

    /// Ends its life: memory, streams, events and modules of it are gone.
    fn kill(&self, driver: &Driver) -> Outcome {
        let life = lock(&self.life).take().ok_or(CUresult::INVALID_CONTEXT)?;
        let gone = driver.client.destroy_context(life.id).map_err(code);
        self.forget_runtime();
        // Green contexts are other names of it.
        for other in driver.contexts.all() {
            lock(&other.life).take_if(|its| its.id == life.id);
        }
        for piece in lock(&driver.space).remove_context(life.id) {
            driver.client.drop_piece(piece).map_err(code)?;
        }
        driver.streams.retain(|stream| stream.context != life.id);
        driver.events.retain(|event| event.context != life.id);
        driver.modules.retain(|module| module.context != life.id);
        driver.functions.retain(|function| function.context != life.id);
        array::forget_context(driver, life.id)?;
        driver.host_calls.forget(life.id);
        gone
    }
}

/// Creates a context on a device and makes it current.
pub(crate) fn create(driver: &Driver, device: &Device, flags: u32, origin: Origin) -> Outcome<Arc<Context>> {
    if !are_context_flags(flags) {
        return Err(CUresult::INVALID_VALUE);
    }
    let context = driver.contexts.insert_with(|handle| Context::new(handle, device.ordinal, flags, origin));
    if let Err(code) = context.revive(driver, device) {
        driver.contexts.remove(context.handle);
        return Err(code);
    }
    push(Arc::clone(&context))?;
    Ok(context)
}

/// Destroys a context that was created; a primary context is released instead, a green one destroyed by its own name.
pub(crate) fn destroy(driver: &Driver, handle: usize) -> Outcome {
    let context = driver.contexts.get(handle).ok_or(CUresult::INVALID_CONTEXT)?;
    if !matches!(context.origin, Origin::Created { .. }) {
        return Err(CUresult::INVALID_CONTEXT);
    }
    let context = driver.contexts.remove(handle).ok_or(CUresult::INVALID_CONTEXT)?;
    if top()?.is_some_and(|current| Arc::ptr_eq(&current, &context)) {
        pop()?;
    }
    context.kill(driver)
}

/// Whether a context can be created with `flags`.
pub(crate) fn are_context_flags(flags: u32) -> bool {
    flags & !KNOWN_FLAGS == 0 && matches!(flags & SCHEDULING, 0 | 1 | 2 | 4)
}

/// Whether an error stays with the context: the header says of these that the process must end to use CUDA again.
pub(crate) fn is_sticky(code: CUresult) -> bool {
    matches!(code.0, 214 | 220 | 700 | 702 | 710 | 714..=719)
}
