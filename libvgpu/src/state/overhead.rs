//! What contexts take. No call tells: it is learned from what NVML says before and after the first one of its kind, and
//! kept in the region for every later context on that GPU.

use super::device::Device;
use super::gpus::{self, InUse};
use super::reservation::Reservation;
use super::site::Site;
use super::start::slice;
use super::tenant::Tenant;
use contract::Bytes;
use cuda_sys::{CUdevice, CUresult};

/// A context that is about to be created. Dropped, it has not been.
pub(crate) struct NewContext {
    tenant: &'static Tenant,
    device: &'static Device,
    size: Size,
}

enum Size {
    Known(Reservation),
    /// To be learned. What was in use before, and what was set aside on a guess.
    Unknown(Option<InUse>, Reservation),
}

/// What is set aside for a context as long as none was seen: enough on the largest GPUs, so that what other processes
/// allocate meanwhile leaves room for it.
const FIRST: Bytes = Bytes(512 << 20);

impl NewContext {
    /// Sets aside what a context on the device takes, as far as that is known. `Ok(None)`: nothing is to be charged.
    ///
    /// # Errors
    /// What to answer without asking the driver.
    pub(crate) fn prepare(ordinal: CUdevice) -> Result<Option<Self>, CUresult> {
        let Some(slice) = slice().map_err(|_| CUresult::SYSTEM_NOT_READY)? else { return Ok(None) };
        let Some(device) = slice.device(ordinal) else { return Ok(None) };
        let tenant = slice.tenant().ok_or(CUresult::OUT_OF_MEMORY)?;
        // Nothing can live in an empty slice, and while a slice is over its limit nothing new may.
        if device.limit.bytes() == Bytes::ZERO {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        let size = match tenant.member.learned_context(device.index) {
            Some(learned) => Size::Known(Reservation::take(tenant, device, learned)?),
            None => {
                let room = device.limit.bytes().saturating_sub(tenant.member.total(device.index));
                let guess = Reservation::take(tenant, device, FIRST.min(room))?;
                Size::Unknown(gpus::in_use(device.uuid), guess)
            }
        };
        Ok(Some(Self { tenant, device, size }))
    }

    /// The driver has created `context`.
    pub(crate) fn created(self, context: usize) {
        let Self { tenant, device, size } = self;
        let bytes = match size {
            Size::Known(reservation) => {
                let bytes = reservation.bytes();
                reservation.keep();
                bytes
            }
            Size::Unknown(before, guess) => {
                let bytes = learn(tenant, device, before);
                guess.keep_as(bytes);
                bytes
            }
        };
        record(tenant, device, context, bytes);
    }
}

/// Charges a context that was created in a way nobody saw; libcudart makes the primary one through a private table.
#[cold]
pub(super) fn charge_unseen_context(site: &Site) {
    let Site { tenant, device, context } = *site;
    let bytes = match tenant.member.learned_context(device.index) {
        Some(learned) => learned,
        None => {
            let tracked = tenant.member.own(device.index);
            let own = gpus::in_use(device.uuid).and_then(|now| now.own).unwrap_or(tracked);
            remember(tenant, device, own.saturating_sub(tracked))
        }
    };
    tenant.member.charge(device.index, bytes);
    record(tenant, device, context, bytes);
}

/// Two threads may meet the same context for the first time; one of them charges it.
fn record(tenant: &Tenant, device: &Device, context: usize, bytes: Bytes) {
    if !tenant.contexts.record(device.index, context, bytes) {
        tenant.member.refund(device.index, bytes);
    }
}

/// The growth since `before`: this process's own where NVML lists it, else the whole device's, which a neighbour may
/// blur. Nothing is learned where NVML is silent.
fn learn(tenant: &Tenant, device: &Device, before: Option<InUse>) -> Bytes {
    let Some((before, now)) = before.zip(gpus::in_use(device.uuid)) else { return Bytes::ZERO };
    let grown = match now.own {
        Some(own) => own.saturating_sub(before.own.unwrap_or(Bytes::ZERO)),
        None => now.device.saturating_sub(before.device),
    };
    remember(tenant, device, grown)
}

/// Keeps what was learned for the next context; nothing at all is no lesson.
fn remember(tenant: &Tenant, device: &Device, bytes: Bytes) -> Bytes {
    if bytes > Bytes::ZERO {
        tenant.member.learn_context(device.index, bytes);
    }
    bytes
}
