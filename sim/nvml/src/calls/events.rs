//! Sets of events: the XIDs of the devices that are registered with them.

use std::collections::BTreeMap;
use std::ffi::{c_uint, c_ulonglong};
use std::ptr::without_provenance_mut;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cuda_sys::{nvmlDevice_t, nvmlEventData_t, nvmlEventSet_t, nvmlReturn_t};
use sim_kernel::{DeviceIndex, Incident, Presence};

use super::processes::NO_INSTANCE;
use crate::abi::{FromAbi, Out, Outcome};
use crate::device::{self, Device};
use crate::library;
use crate::session::Session;

/// `nvmlEventTypeXidCriticalError`: what health checks wait for.
const XID_CRITICAL_ERROR: c_ulonglong = 8;

/// How often a wait looks.
const LOOK: Duration = Duration::from_millis(10);

/// Of each registered device, the number of the last incident that is not news.
type Registered = BTreeMap<DeviceIndex, u64>;

/// The sets that exist, and the handle of the next one: handles are numbers that are never used again.
struct Sets {
    live: BTreeMap<usize, Registered>,
    next: usize,
}

static SETS: Mutex<Sets> = Mutex::new(Sets { live: BTreeMap::new(), next: 1 });

fn with_sets<T>(action: impl FnOnce(&mut Sets) -> T) -> T {
    action(&mut SETS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A set that exists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventSet(usize);

impl FromAbi<nvmlEventSet_t> for EventSet {
    unsafe fn from_abi(raw: nvmlEventSet_t) -> Outcome<Self> {
        let number = raw.0.addr();
        let exists = with_sets(|sets| sets.live.contains_key(&number));
        if exists { Ok(Self(number)) } else { Err(nvmlReturn_t::INVALID_ARGUMENT) }
    }
}

impl EventSet {
    fn registered(self) -> Outcome<Registered> {
        with_sets(|sets| sets.live.get(&self.0).cloned()).ok_or(nvmlReturn_t::INVALID_ARGUMENT)
    }

    /// Takes note that a device's incidents up to this number are known. Another thread may have freed the set.
    fn note(self, device: DeviceIndex, number: u64) {
        with_sets(|sets| sets.live.get_mut(&self.0).map(|registered| registered.insert(device, number)));
    }

    /// The oldest incident of a registered device that is news.
    fn next(self, session: &Session) -> Outcome<Option<Incident>> {
        let registered = self.registered()?;
        let Some(oldest) = registered.values().min() else { return Ok(None) };
        let news = session.ask(|client| client.incidents(*oldest))?;
        let next = news
            .into_iter()
            .find(|news| registered.get(&news.device).is_some_and(|known| news.number > *known));
        if let Some(incident) = next {
            self.note(incident.device, incident.number);
        }
        Ok(next)
    }

    /// Whether a registered device cannot be reached.
    fn has_lost(self, session: &Session) -> Outcome<bool> {
        for device in self.registered()?.into_keys() {
            if session.ask(|client| client.condition(device))?.presence != Presence::Present {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn wait(self, milliseconds: c_uint) -> Outcome<nvmlEventData_t> {
        let end = Instant::now() + Duration::from_millis(milliseconds.into());
        loop {
            let session = library::session()?;
            if let Some(incident) = self.next(&session)? {
                return data(incident);
            }
            if self.has_lost(&session)? {
                return Err(nvmlReturn_t::GPU_IS_LOST);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(nvmlReturn_t::TIMEOUT);
            }
            thread::sleep(left.min(LOOK));
        }
    }
}

fn data(incident: Incident) -> Outcome<nvmlEventData_t> {
    Ok(nvmlEventData_t {
        device: device::handle(incident.device)?,
        eventType: XID_CRITICAL_ERROR,
        eventData: incident.xid,
        gpuInstanceId: NO_INSTANCE,
        computeInstanceId: NO_INSTANCE,
    })
}

/// The structure of the first version, which the newer one begins with.
#[repr(C)]
pub(crate) struct EventDataV1 {
    device: nvmlDevice_t,
    kind: c_ulonglong,
    data: c_ulonglong,
}

impl FromAbi<*mut nvmlEventData_t> for Out<EventDataV1> {
    unsafe fn from_abi(raw: *mut nvmlEventData_t) -> Outcome<Self> {
        // SAFETY: the caller's promise for the longer structure holds for its beginning.
        unsafe { FromAbi::from_abi(raw.cast::<EventDataV1>()) }
    }
}

pub(crate) fn nvmlEventSetCreate(set: Out<nvmlEventSet_t>) -> Outcome {
    let number = with_sets(|sets| {
        let number = sets.next;
        sets.next += 1;
        sets.live.insert(number, Registered::new());
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

/// What was reported before is no news.
pub(crate) fn nvmlDeviceRegisterEvents(device: Device, kinds: c_ulonglong, set: EventSet) -> Outcome {
    if kinds & !XID_CRITICAL_ERROR != 0 {
        return Err(nvmlReturn_t::NOT_SUPPORTED);
    }
    let known = device.session().ask(|client| client.incidents(0))?;
    set.note(device.index(), known.last().map_or(0, |incident| incident.number));
    Ok(())
}

pub(crate) fn nvmlEventSetWait(set: EventSet, data: Out<EventDataV1>, milliseconds: c_uint) -> Outcome {
    let event = set.wait(milliseconds)?;
    data.set(EventDataV1 { device: event.device, kind: event.eventType, data: event.eventData });
    Ok(())
}

pub(crate) fn nvmlEventSetWait_v2(
    set: EventSet,
    data: Out<nvmlEventData_t>,
    milliseconds: c_uint,
) -> Outcome {
    data.set(set.wait(milliseconds)?);
    Ok(())
}
