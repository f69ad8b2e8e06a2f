//! Threads that allocate from one pool and look at it, in every order that chance comes up with.

use super::{Begun, Change, Moment, PoolAccount};
use contract::Bytes;
use proptest::prelude::*;

/// A thread, and how far it has come.
#[derive(Clone, Copy, Default)]
enum Thread {
    #[default]
    Idle,
    Begun(Begun, u64),
    Allocated(Begun, u64),
    Asking(Begun, u64, Moment),
    Asked(Begun, u64, Moment, u64),
    Looking(Moment),
    Looked(Moment, u64),
}

/// What the driver has reserved, and what is charged for it.
#[derive(Default)]
struct Scene {
    reserved: u64,
    account: PoolAccount,
    /// What the ledger of the device says.
    charged: u64,
    threads: [Thread; 4],
}

/// One step: whose, what it does if there is a choice, and how much.
type Step = (usize, bool, u64);

const BOUND: u64 = 64;

impl Scene {
    fn step(&mut self, (thread, choice, amount): Step) {
        let next = match self.threads[thread] {
            Thread::Idle if choice => {
                self.charged += BOUND;
                Thread::Begun(self.account.begin(), BOUND)
            }
            Thread::Idle => Thread::Looking(self.account.moment()),
            Thread::Begun(begun, bound) => {
                // Growth within the bound, or none because something was free.
                self.reserved += if choice { amount % (bound + 1) } else { 0 };
                Thread::Allocated(begun, bound)
            }
            Thread::Allocated(begun, bound) => Thread::Asking(begun, bound, self.account.moment()),
            Thread::Asking(begun, bound, moment) => Thread::Asked(begun, bound, moment, self.reserved),
            Thread::Asked(begun, bound, moment, reserved) => {
                match self.account.settle(begun, Bytes(bound), moment, Bytes(reserved)) {
                    Some(settled) => {
                        assert_eq!(settled.missing, Bytes::ZERO, "no driver here surpasses the bound");
                        self.charged -= bound - settled.used.0;
                        Thread::Idle
                    }
                    None => Thread::Allocated(begun, bound),
                }
            }
            Thread::Looking(moment) => Thread::Looked(moment, self.reserved),
            Thread::Looked(moment, reserved) => {
                self.reconcile(moment, reserved);
                Thread::Idle
            }
        };
        self.threads[thread] = next;
    }

    fn reconcile(&mut self, moment: Moment, reserved: u64) {
        match self.account.reconcile(moment, Bytes(reserved)) {
            Change::None => {}
            Change::Refund(bytes) => self.charged -= bytes.0,
            Change::Charge(bytes) => panic!("{bytes:?} were not covered"),
        }
    }

    fn finish(&mut self) {
        for thread in 0..self.threads.len() {
            while !matches!(self.threads[thread], Thread::Idle) {
                self.step((thread, false, 0));
            }
        }
        self.reconcile(self.account.moment(), self.reserved);
    }
}

proptest! {
    #[test]
    fn what_is_reserved_is_always_covered_and_in_the_end_charged_exactly(
        steps in proptest::collection::vec((0..4_usize, any::<bool>(), 0..200_u64, 0..8_u8), 0..200)
    ) {
        let mut scene = Scene::default();
        for (thread, choice, amount, shrink) in steps {
            scene.step((thread, choice, amount));
            if shrink == 0 {
                scene.reserved -= amount.min(scene.reserved);
            }
            prop_assert!(scene.charged >= scene.reserved);
        }
        scene.finish();
        prop_assert_eq!(scene.charged, scene.reserved);
        prop_assert_eq!(scene.account.charged(), Bytes(scene.reserved));
    }
}
