//! One more launch like the one before it: what most launches are.

use policy::compute::Nanos;

use super::{Lease, Throttle, Work};

/// A launch of the same kind in the same stream as the thread's last one, in the middle of an epoch and of a lease: to be made
/// at once, with nothing before it, and [ended](Self::after).
#[must_use]
pub struct Repeat<'t, E> {
    lease: &'t mut Lease<E>,
    cost: Nanos,
}

impl<E> Throttle<E> {
    /// Whether `work` is one more launch like the last, that has to wait for nothing and neither begins nor ends anything. It costs
    /// what the last one did: estimates are looked up when an epoch begins, or another kind of launch comes.
    ///
    /// A few loads of the thread's own; the rest go through [`admit`](Self::admit).
    #[inline]
    pub fn repeats<'t>(&self, lease: &'t mut Lease<E>, work: &Work) -> Option<Repeat<'t, E>> {
        let open = lease.open.as_ref().filter(|open| open.stays_open && lease.belongs_to(self.number))?;
        let cost = open.tally.repeats(work.key)?;
        let goes_on = open.is_of(work.stream, self.modes.forgotten())
            && !open.tally.is_full_with(cost)
            && lease.reserved.covers_two(cost);
        goes_on.then_some(Repeat { lease, cost })
    }
}

impl<E> Repeat<'_, E> {
    /// To be called right after the launch, with whether the driver took it.
    #[inline]
    pub fn after(self, launched: bool) {
        if launched && let Some(open) = self.lease.open.as_mut() {
            // It does: that was asked before.
            let _covered = self.lease.reserved.spend(self.cost);
            open.tally.repeat(self.cost);
            self.lease.launches += 1;
        }
    }
}
