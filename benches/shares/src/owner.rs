//! The owner of balance and priorities: reads what each slice does, and writes what each is allowed.

use std::rc::Rc;

use policy::compute::balance::{PERIOD, Part, Rule, Slice, divide};
use policy::compute::demand::{Demand, Seen};
use policy::compute::{self, Share};
use sim_model::{Nanos, Permille};

use crate::tenant::Tenant;
use crate::world::Pid;

/// What a slice asks for.
#[derive(Clone, Copy)]
pub(crate) struct Wish {
    pub(crate) rule: Rule,
    pub(crate) priority: u32,
}

/// A slice, as the owner knows it.
struct Known {
    tenant: Rc<Tenant>,
    entitlement: Share,
    wish: Wish,
    demand: Demand,
    metered: compute::Nanos,
    waits: u64,
    launches: u64,
}

/// Divides the card among tenants from now on, whose present shares they are entitled to.
pub(crate) fn divide_among(tenants: &[(Rc<Tenant>, Wish)]) {
    let world = Rc::clone(&tenants[0].0.world);
    let own = Rc::clone(&world);
    let mut known: Vec<Known> = tenants.iter().map(Known::new).collect();
    world.spawn(Pid::NOBODY, async move {
        loop {
            own.sleep(Nanos(PERIOD.0)).await;
            known.iter_mut().for_each(Known::look);
            let slices: Vec<Slice> = known.iter().map(Known::slice).collect();
            let mut parts: Vec<Part> = slices.iter().map(|slice| Part::of(slice.entitlement)).collect();
            divide(&slices, &mut parts);
            for (known, part) in known.iter().zip(parts) {
                known.tenant.share.set(Permille(u32::from(part.share.permille())));
                known.tenant.is_gated.set(part.is_gated);
            }
        }
    });
}

impl Known {
    fn new((tenant, wish): &(Rc<Tenant>, Wish)) -> Self {
        tenant.is_shared_out.set(true);
        Self {
            entitlement: tenant.share(),
            tenant: Rc::clone(tenant),
            wish: *wish,
            demand: Demand::NONE,
            metered: compute::Nanos::ZERO,
            waits: 0,
            launches: 0,
        }
    }

    /// Sees what the slice did since the last look.
    fn look(&mut self) {
        let tenant = &self.tenant;
        let metered = tenant.trim.meter(compute::Nanos::ZERO);
        let used = tenant.trim.trim().apply(metered.saturating_sub(self.metered));
        let (launches, waits, waiting) = tenant.activity();
        let seen = Seen {
            wall: PERIOD,
            // What was launched has used something, though it may not be metered yet.
            used: used.max(compute::Nanos(u64::from(launches > self.launches))),
            waited: waiting || waits > self.waits,
        };
        self.demand = self.demand.after(seen);
        (self.metered, self.waits, self.launches) = (metered, waits, launches);
    }

    fn slice(&self) -> Slice {
        let Self { entitlement, demand, wish: Wish { rule, priority }, .. } = *self;
        Slice { entitlement, rule, priority, demand }
    }
}
