//! Sets of events. The simulated machine has no events yet, so a wait always lasts as long as the caller lets it.

use std::collections::BTreeSet;
use std::ffi::{c_uint, c_ulonglong};
use std::ptr::without_provenance_mut;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use cuda_sys::{nvmlEventData_t, nvmlEventSet_t, nvmlReturn_t};

use crate::abi::{FromAbi, Out, Outcome};
use crate::device::Device;

/// `nvmlEventTypeXidCriticalError`: what health checks wait for.
const XID_CRITICAL_ERROR: c_ulonglong = 8;

/// The sets that exist, and the handle of the next one: handles are numbers that are never used again.
struct Sets {
    live: BTreeSet<usize>,
    next: usize,
}

static SETS: Mutex<Sets> = Mutex::new(Sets { live: BTreeSet::new(), next: 1 });

fn with_sets<T>(action: impl FnOnce(&mut Sets) -> T) -> T {
    action(&mut SETS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A set that exists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventSet(usize);

impl FromAbi<nvmlEventSet_t> for EventSet {
    unsafe fn from_abi(raw: nvmlEventSet_t) -> Outcome<Self> {
        let number = raw.0.addr();
        let exists = with_sets(|sets| sets.live.contains(&number));
        if exists { Ok(Self(number)) } else { Err(nvmlReturn_t::INVALID_ARGUMENT) }
    }
}

pub(crate) fn nvmlEventSetCreate(set: Out<nvmlEventSet_t>) -> Outcome {
    let number = with_sets(|sets| {
        let number = sets.next;
        sets.next += 1;
        sets.live.insert(number);
        number
    });
    set.set(nvmlEventSet_t(without_provenance_mut(number)));
    Ok(())
}

pub(crate) fn nvmlEventSetFree(set: EventSet) -> Outcome {
    with_sets(|sets| sets.live.remove(&set.0));
    Ok(())
}

pub(crate) fn nvmlDeviceGetSupportedEventTypes(_device: Device, kinds: Out<c_ulonglong>) -> Outcome {
    kinds.set(XID_CRITICAL_ERROR);
    Ok(())
}

pub(crate) fn nvmlDeviceRegisterEvents(_device: Device, kinds: c_ulonglong, _set: EventSet) -> Outcome {
    if kinds & !XID_CRITICAL_ERROR == 0 { Ok(()) } else { Err(nvmlReturn_t::NOT_SUPPORTED) }
}

pub(crate) fn nvmlEventSetWait(set: EventSet, data: Out<nvmlEventData_t>, milliseconds: c_uint) -> Outcome {
    nvmlEventSetWait_v2(set, data, milliseconds)
}

pub(crate) fn nvmlEventSetWait_v2(
    _set: EventSet,
    _data: Out<nvmlEventData_t>,
    milliseconds: c_uint,
) -> Outcome {
    thread::sleep(Duration::from_millis(milliseconds.into()));
    Err(nvmlReturn_t::TIMEOUT)
}
