//! Where NVML does not say which process is this one, what a call took can only be guessed: by how much the whole device has
//! less afterwards, if that is plausible. A neighbour that allocates in the same moment blurs it.

use super::capture;
use super::observed;
use super::place::Place;
use crate::abi::driver::real;
use contract::Bytes;
use core::ops::RangeInclusive;
use cuda_sys::CUresult;

/// What is believed to come or go with one call: at least what a device gives out at a time.
const PLAUSIBLE: RangeInclusive<u64> = 2 << 20..=1 << 30;

/// The device at one moment.
struct Moment {
    /// What nobody has.
    free: u64,
    /// What the slice is charged.
    charged: u64,
}

/// Makes a call that may take or give back memory of the current context's device `place` that nobody asks for by size.
pub(crate) fn around(place: Place, call: impl FnOnce() -> CUresult) -> CUresult {
    if observed::is_told(place) {
        return call();
    }
    let before = Moment::now(place);
    let result = call();
    if let Some((before, after)) = before.zip(Moment::now(place)).filter(|_| result.is_success()) {
        settle(place, &before, &after);
    }
    result
}

fn settle(Place { member, device }: Place, before: &Moment, after: &Moment) {
    // What the slice's own processes have asked for meanwhile is charged already.
    let expected = before.free.saturating_add(before.charged).saturating_sub(after.charged);
    let (taken, returned) = (expected.saturating_sub(after.free), after.free.saturating_sub(expected));
    if PLAUSIBLE.contains(&taken) {
        member.charge_unseen(device.index, Bytes(taken));
    } else if PLAUSIBLE.contains(&returned) {
        let (_, contexts) = member.contexts.total(device.index);
        let beside = member.unseen(device.index).saturating_sub(contexts);
        member.refund_unseen(device.index, Bytes(returned).min(beside));
    }
}

impl Moment {
    fn now(Place { member, device }: Place) -> Option<Self> {
        let (mut free, mut total) = (0, 0);
        let told = capture::undisturbed(|| {
            // SAFETY: both are valid for writing.
            unsafe { real::cuMemGetInfo_v2(&raw mut free, &raw mut total) }
        });
        let charged = member.account.total(device.index).0;
        told.is_success().then_some(Self { free: free as u64, charged })
    }
}
