//! A launch under a limit.

use super::captures;
use super::events::{Around, Event};
use super::lane::Lane;
use super::lanes::{self, Held, Lanes};
use super::meter;
use super::wait::{self, Pause};
use super::work::{Subject, Work};
use crate::state::{Site, slice};
use crate::stream::in_context_of;
use cuda_sys::CUresult;
use policy::compute::Patience;
use tracker::launches::{self, Admission, Lease};

/// Makes a launch for a slice of which some device's share is limited.
#[inline(never)]
pub(super) fn launched(work: Work, call: &dyn Fn() -> CUresult) -> CUresult {
    if meter::is_over() {
        return call();
    }
    lanes::with(|lanes| in_lane(lanes, work, call)).flatten().unwrap_or_else(|| unmeasured(&[work], call))
}

/// Makes one launch of several parts: when every device has time for its part.
#[inline(never)]
pub(super) fn launched_together(parts: &[Work], call: &dyn Fn() -> CUresult) -> CUresult {
    if meter::is_over() {
        return call();
    }
    lanes::with(|lanes| in_lanes(lanes, parts, call)).flatten().unwrap_or_else(|| unmeasured(parts, call))
}

/// Makes a launch that nothing measures: it is in a capture, on a device without a limit, or the driver will refuse it. Where the
/// slice has no room for this process there is no account, and without an account no share of a device that has a limit.
fn unmeasured(parts: &[Work], call: &dyn Fn() -> CUresult) -> CUresult {
    if slice().ok().flatten().is_none_or(|slice| slice.member().is_some()) {
        return call();
    }
    let refusal = parts.iter().find_map(|part| in_context_of(part.stream, Site::current).err());
    refusal.unwrap_or_else(call)
}

/// Waits for its time and makes it. `None`, and nothing is done, where nothing is limited or nothing would be launched.
fn in_lane(lanes: &mut Lanes, work: Work, call: &dyn Fn() -> CUresult) -> Option<CUresult> {
    if captures::may_be_under_way() && !work.stream.is_open() {
        return None;
    }
    let Held { lane, lease, .. } = lanes.held(work.stream)?;
    let metered = lane.metered;
    if !metered.is_limited() {
        return None;
    }
    let mut patience = Patience::default();
    let mut around = Around::new(&metered.pools, lane.id.context, work.stream);
    pass_gate(lane, lease, &mut around, &mut patience);
    let work = work.on(lane);
    if let Some(repeat) = metered.throttle.repeats(lease, &work) {
        let result = call();
        repeat.after(result.is_success());
        return Some(result);
    }
    in_turn(lane, lease, work, around, patience, call)
}

/// Makes a launch that is not one more like the last.
#[inline(never)]
fn in_turn(
    lane: &Lane,
    lease: &mut Lease<Event>,
    work: launches::Work,
    mut around: Around<'_>,
    mut patience: Patience,
    call: &dyn Fn() -> CUresult,
) -> Option<CUresult> {
    let metered = lane.metered;
    let mut pause = Pause::default();
    let mut turn = loop {
        match metered.admit(lease, work, &mut around) {
            Admission::Granted(turn) => break turn,
            Admission::Measuring(until) if around.is_open() => pause.rest(metered, until),
            Admission::Measuring(_) => {
                pause.end(metered);
                return None;
            }
        }
    };
    pause.end(metered);
    if let Some(start) = turn.start() {
        // Nothing is waited for in a capture, and nothing charged that came into one of another thread meanwhile.
        let has_waited = around.is_open() && {
            metered.see_to_it(lane.member);
            wait::until(metered, start, &mut patience);
            around.is_open()
        };
        if !has_waited {
            turn.after(false, &mut around);
            return None;
        }
    }
    turn.before(&mut around);
    let result = call();
    turn.after(result.is_success(), &mut around);
    metered.see_to_it(lane.member);
    Some(result)
}

/// The same for parts of which each is on a device of its own. Those on devices that nothing limits are not waited for.
fn in_lanes(lanes: &mut Lanes, parts: &[Work], call: &dyn Fn() -> CUresult) -> Option<CUresult> {
    if captures::may_be_under_way() && !parts.iter().all(|part| part.stream.is_open()) {
        return None;
    }
    let mut patience = Patience::default();
    // No turn can be held while another part is measured, so first none is left to be.
    for (held, part) in lanes.held_together(parts, |part| part.stream) {
        wait_for_part(held, part, &mut patience);
    }
    let mut turns = Vec::new();
    for (Held { lane, lease, .. }, part) in lanes.held_together(parts, |part| part.stream) {
        let metered = lane.metered;
        let mut around = Around::new(&metered.pools, lane.id.context, part.stream);
        if metered.is_limited()
            && let Admission::Granted(turn) = metered.admit(lease, part.on(lane), &mut around)
        {
            turns.push((*lane, turn, around));
        }
    }
    for (lane, turn, _) in &turns {
        // One after the other: what has come while another was waited for is not waited for.
        if let Some(start) = turn.start() {
            lane.metered.see_to_it(lane.member);
            wait::until(lane.metered, start, &mut patience);
        }
    }
    turns.iter_mut().for_each(|(_, turn, around)| turn.before(around));
    let result = call();
    for (lane, turn, mut around) in turns {
        turn.after(result.is_success(), &mut around);
        lane.metered.see_to_it(lane.member);
    }
    Some(result)
}

/// Waits while the gate of the device is closed, for which the thread ends its epoch, or until the launch has lost its `patience`.
#[inline]
fn pass_gate(lane: &Lane, lease: &mut Lease<Event>, around: &mut Around<'_>, patience: &mut Patience) {
    let metered = lane.metered;
    if metered.device.limit.may_be_gated() && around.is_open() {
        metered.throttle.end_epoch(lease, lane.id, around);
        metered.see_to_it(lane.member);
        wait::for_gate(metered, patience);
    }
}

/// Waits for the gate of the device that `part` is for, and until what a launch of it costs has been measured, or for as long as
/// that is worth.
fn wait_for_part(Held { lane, lease, .. }: &mut Held, part: &Work, patience: &mut Patience) {
    let metered = lane.metered;
    let mut around = Around::new(&metered.pools, lane.id.context, part.stream);
    if metered.is_limited() {
        pass_gate(lane, lease, &mut around, patience);
    }
    let mut pause = Pause::default();
    while metered.is_limited() {
        match metered.admit(lease, part.on(lane), &mut around) {
            Admission::Granted(turn) => {
                turn.after(false, &mut around);
                break;
            }
            Admission::Measuring(until) if around.is_open() => pause.rest(metered, until),
            Admission::Measuring(_) => break,
        }
    }
    pause.end(metered);
}

impl Work {
    /// The same for the throttle of the device that it is for.
    #[inline]
    fn on(&self, lane: &Lane) -> launches::Work {
        let (key, least_cost) = match self.subject {
            Subject::Known(key) => (key, self.least_cost),
            Subject::Graph(exec) => lane.member.throttles.graphs.key(exec),
        };
        launches::Work { key: key.number(), stream: lane.id, least_cost }
    }
}
