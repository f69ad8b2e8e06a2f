//! What no call tells: how much contexts, code, stacks and heaps take. It is charged when it is seen, in what the driver
//! says that this process has, less what the process asked for by size.
//!
//! Whoever makes a call after which there may be more or less of it has it [observed](observe). One such call may put the
//! slice over its limit; everything after it is refused.

use super::gpus;
use super::member::Member;
use super::place::Place;
use super::slice::Slice;
use super::turn::Turn;
use contract::Bytes;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use shared_region::{BriefLock, DeviceIndex};
use tracker::{Packing, Unseen};

/// What is charged for the unseen on one device; it is part of what the account says.
#[derive(Default)]
pub(super) struct Observed {
    charged: BriefLock<Bytes>,
    /// Whether that is more than was charged for contexts: some may have gone back since, where nobody saw it.
    may_shrink: AtomicBool,
    /// Whether there has been a look.
    is_looked_at: AtomicBool,
    /// Whether NVML has told at the last look what this process has.
    is_told: AtomicBool,
}

/// How often to look again while other threads allocate.
const LOOKS: u32 = 4;

/// What those may have in hand that looks like something unseen: it is rounded by a chunk, and not yet known to be.
const IN_HAND: Bytes = Bytes(32 << 20);

/// Charges what this process holds on the device without having asked for it by size, as the driver tells it now. Asks
/// NVML, which takes a while: for rare calls only.
fn observe(place: Place) {
    if let Some(turn) = Turn::of(place) {
        reconcile(&turn);
    }
}

/// [`observe`] in this thread's turn.
pub(crate) fn reconcile(turn: &Turn) {
    let (member, device) = (turn.member, turn.device.index);
    let charged = member.unseen(device);
    if member.contexts.total(device).0 == 0 {
        // NVML does not list a process without a context, and all that is unseen is in one.
        return member.refund_unseen(device, charged);
    }
    if let Some(observed) = member.observed(device) {
        observed.is_looked_at.store(true, Relaxed);
    }
    let Some(look) = Look::take(turn) else { return };
    let now = look.unseen.settle(charged);
    if look.is_still {
        // Chunks that are not full just now are no reason to charge for them: this process may be idle when they are given
        // back.
        if now > charged.saturating_add(look.waste.min(IN_HAND)) {
            member.charge_unseen(device, now.saturating_sub(charged));
        }
        // Not less than for its contexts: a pool that was destroyed is charged as if it were whole.
        member.refund_unseen(device, charged.saturating_sub(now.max(look.contexts)));
    } else {
        member.charge_unseen(device, now.saturating_sub(charged.saturating_add(IN_HAND)));
    }
    if let Some(observed) = member.observed(device) {
        observed.may_shrink.store(member.unseen(device) > look.contexts, Relaxed);
    }
}

/// Whether NVML tells what this process has on the device. Nobody may have asked it yet.
pub(super) fn is_told(place: Place) -> bool {
    let Some(observed) = place.member.observed(place.device.index) else { return false };
    if !observed.is_looked_at.load(Relaxed) {
        observe(place);
    }
    observed.is_told.load(Relaxed)
}

impl Slice {
    /// [`observe`] on every device where this process has something that nobody asked for by size.
    pub(crate) fn observe_all(&'static self) {
        self.each_used(observe);
    }

    /// The same, unless it was done just now, and but for devices where somebody creates a context.
    pub(crate) fn observe_when_due(&'static self) {
        let at_once = |place| Turn::at_once(place).iter().for_each(reconcile);
        if let Some(member) = self.member_if_joined() {
            member.pulse.when_due(|| self.each_used(at_once));
        }
    }

    fn each_used(&'static self, act: impl Fn(Place)) {
        let Some(member) = self.member_if_joined() else { return };
        let used = DeviceIndex::all().filter(|index| member.unseen(*index) > Bytes::ZERO);
        used.filter_map(|index| self.device_at(index)).for_each(|device| act(Place { member, device }));
    }

    /// Has it done now or soon.
    pub(crate) fn observe_soon(&'static self) {
        if let Some(member) = self.member_if_joined() {
            member.pulse.expect();
            self.observe_when_due();
        }
    }
}

/// What there was at one moment.
struct Look {
    unseen: Unseen,
    /// What was charged for contexts.
    contexts: Bytes,
    /// What chunks that allocations share may hold unused.
    waste: Bytes,
    /// Whether nothing was charged or given back meanwhile.
    is_still: bool,
}

impl Look {
    /// `None` where NVML does not tell, or tells what cannot be.
    fn take(turn: &Turn) -> Option<Self> {
        let mut look = Self::once(turn)?;
        for _ in 1..LOOKS {
            if look.is_still {
                break;
            }
            look = Self::once(turn)?;
        }
        Some(look)
    }

    fn once(turn: &Turn) -> Option<Self> {
        let (member, device) = (turn.member, turn.device.index);
        let account = || member.account.holding(device);
        let (told, is_still) = member.in_hand.watch(account, || Told::now(turn));
        let told = told?;
        if told.figure.is_none() && is_still {
            member.identity.search(turn.device.uuid, device, told.packing.resident(told.asked));
        }
        let unseen = told.unseen()?;
        Some(Self { unseen, contexts: told.contexts, waste: told.packing.waste(), is_still })
    }
}

/// What the driver says and what is known, each by itself.
struct Told {
    /// What NVML says that this process has.
    figure: Option<Bytes>,
    /// How many contexts there are.
    count: u64,
    /// What was charged for them.
    contexts: Bytes,
    /// What was asked for by size, without what the driver does not count as this process'.
    asked: Bytes,
    /// Memory of others that the driver may count as this process', which nobody says.
    imported: Bytes,
    packing: Packing,
}

impl Told {
    /// `None` where NVML does not tell.
    fn now(turn: &Turn) -> Option<Self> {
        let (member, device) = (turn.member, turn.device.index);
        let asked_before = member.asked_for(device);
        let (count, contexts) = member.contexts.total(device);
        let figure = gpus::in_use(turn.device.uuid, member.identity.id())?.own;
        if let Some(observed) = member.observed(device) {
            observed.is_told.store(figure.is_some(), Relaxed);
        }
        let packing = member.packing(device);
        let (orphaned, imported) = member.shared(device);
        let asked = member.asked_for(device).max(asked_before).saturating_sub(orphaned);
        Some(Self { figure, count, contexts, asked, imported, packing })
    }

    /// What nobody asked for by size; `None` where the figure is missing or cannot be.
    fn unseen(&self) -> Option<Unseen> {
        let Self { figure, count, contexts, asked, imported, packing } = self;
        let figure = (*figure)?;
        let all = asked.saturating_add(*imported);
        let with_imports = packing.unseen(figure.saturating_sub(*contexts), all, *count);
        packing.unseen(figure, if with_imports.is_some() { all } else { *asked }, *count)
    }
}

impl Member {
    /// What is charged on `device` for what nobody asked for by size.
    pub(super) fn unseen(&self, device: DeviceIndex) -> Bytes {
        self.observed(device).map_or(Bytes::ZERO, |observed| *observed.charged.lock())
    }

    /// What is charged on `device` for what was asked for by size.
    fn asked_for(&self, device: DeviceIndex) -> Bytes {
        let charged = self.observed(device).map(|observed| observed.charged.lock());
        self.account.own(device).saturating_sub(charged.map_or(Bytes::ZERO, |charged| *charged))
    }

    /// Charges for memory that is in use already, whether it fits or not.
    pub(super) fn charge_unseen(&self, device: DeviceIndex, bytes: Bytes) {
        self.change_unseen(device, |charged| {
            self.account.charge(device, bytes);
            charged.saturating_add(bytes)
        });
    }

    /// `bytes` that are charged already are for what nobody asked for by size.
    pub(super) fn adopt_unseen(&self, device: DeviceIndex, bytes: Bytes) {
        self.change_unseen(device, |charged| charged.saturating_add(bytes));
    }

    /// Gives back what is not held any more.
    pub(super) fn refund_unseen(&self, device: DeviceIndex, bytes: Bytes) {
        self.change_unseen(device, |charged| {
            self.account.refund(device, bytes.min(charged));
            charged.saturating_sub(bytes)
        });
    }

    /// The lock is held while the account changes, so that the difference of the two is what was asked for by size.
    fn change_unseen(&self, device: DeviceIndex, to: impl FnOnce(Bytes) -> Bytes) {
        let Some(observed) = self.observed(device) else { return };
        let mut charged = observed.charged.lock();
        *charged = to(*charged);
        self.account.note_overhead(device, *charged);
    }

    /// Whether a look may find less than is charged on `device`.
    #[inline]
    pub(super) fn may_hold_less(&self, device: DeviceIndex) -> bool {
        self.observed(device).is_some_and(|observed| observed.may_shrink.load(Relaxed))
    }

    #[inline]
    fn observed(&self, device: DeviceIndex) -> Option<&Observed> {
        self.observed.get(device.index())
    }
}
