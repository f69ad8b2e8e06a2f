//! The finish time when clocks, machines and neighbours in the same memory do not behave.

use policy::compute::finish::{BURST, DEBT_MAX, Finish, WAIT_MAX};
use policy::compute::lease::{self, Lease};
use policy::compute::{Nanos, Share};
use proptest::prelude::*;

use super::{NOW, limit, time};

const HOUR: Nanos = Nanos::from_secs(3600);

/// What can be launched at once.
fn credit(finish: Finish, now: Nanos, share: Share) -> Nanos {
    let mut room = (Nanos::ZERO, Nanos::from_secs(1));
    while room.1.0 - room.0.0 > 1 {
        let middle = Nanos(room.0.0.midpoint(room.1.0));
        let waits = finish.reserve(now, share, middle).finish.reserve(now, share, Nanos(1)).start > now;
        room = if waits { (room.0, middle) } else { (middle, room.1) };
    }
    room.0
}

proptest! {
    #[test]
    fn no_word_means_more_than_a_burst_of_credit_or_the_largest_debt(bits: u64, now: u64, share in limit(), by: i64, cost: u64) {
        let (now, finish) = (Nanos(now), Finish::from_bits(bits));
        for word in [finish, finish.correct(now, share, by), finish.reserve(now, share, Nanos(cost)).finish] {
            prop_assert!(word.debt(now) <= DEBT_MAX);
            let reservation = word.reserve(now, share, Nanos::ZERO);
            prop_assert!(reservation.start >= now);
            prop_assert!(reservation.start.saturating_sub(now) <= share.wall(DEBT_MAX).saturating_add(Nanos(16)));
            prop_assert!(reservation.wait_until(now).is_none_or(|until| until.saturating_sub(now) <= WAIT_MAX));
            prop_assert!(credit(word, now, share) <= share.gpu(BURST).saturating_add(Nanos(16)));
        }
    }

    #[test]
    fn a_hostile_word_is_overcome_by_time(bits: u64, share in limit()) {
        let finish = Finish::from_bits(bits).reserve(NOW, share, Nanos::ZERO).finish;
        let later = NOW.saturating_add(share.wall(DEBT_MAX)).saturating_add(Nanos(32));
        prop_assert_eq!(finish.reserve(later, share, Nanos(1)).start, later);
    }

    #[test]
    fn a_clock_that_jumps_ahead_is_worth_one_burst(share in limit(), owed in time(Nanos::from_secs(1)), jump in time(Nanos(u64::MAX >> 8))) {
        let finish = Finish::NONE.reserve(NOW, share, owed).finish;
        let now = NOW.saturating_add(jump);
        prop_assert!(credit(finish, now, share) <= share.gpu(BURST).saturating_add(Nanos(16)));
        prop_assert!(finish.debt(now) <= owed);
    }

    #[test]
    fn a_clock_that_goes_back_costs_no_more_than_it_went_back(share in limit(), back in time(NOW)) {
        let finish = Finish::NONE.reserve(NOW, share, Nanos(1)).finish;
        let now = NOW.saturating_sub(back);
        let wait = finish.reserve(now, share, Nanos::ZERO).start.saturating_sub(now);
        prop_assert!(wait <= back.saturating_add(Nanos(16)) && wait <= share.wall(DEBT_MAX).saturating_add(Nanos(16)));
    }
}

#[test]
fn a_machine_that_was_suspended_for_an_hour_goes_on_as_if_nothing_was() {
    let share = Share::from_percent(10).unwrap();
    // Both kinds of clock: one that stood still meanwhile, and one that went on.
    for slept in [Nanos::ZERO, HOUR] {
        let finish = Finish::NONE.reserve(NOW, share, Nanos::from_millis(12)).finish;
        let waiter = finish.reserve(NOW, share, Nanos::from_millis(1));
        let now = waiter.start.saturating_add(slept);
        assert_eq!(waiter.wait_until(now), None);
        let next = waiter.finish.reserve(now, share, Nanos::from_millis(10));
        let due = if slept == Nanos::ZERO { Nanos::from_millis(10) } else { Nanos::ZERO };
        assert_eq!(next.start.saturating_sub(now), due);
        assert!(next.finish.debt(now) >= Nanos::from_millis(8));
    }
}

#[test]
fn a_word_that_survived_a_reboot_is_not_waited_for() {
    let share = Share::from_percent(30).unwrap();
    let finish = Finish::NONE.reserve(Nanos::from_secs(1_000_000), share, Nanos::from_secs(1)).finish;
    let booted = Nanos::from_secs(20);
    let first = finish.reserve(booted, share, Nanos::from_millis(1));
    assert_eq!((first.start, finish.debt(booted)), (booted, Nanos::ZERO));
}

#[test]
fn a_debt_at_its_bound_is_not_taken_for_another_clocks_by_who_read_the_time_a_little_earlier() {
    let share = Share::from_percent(30).unwrap();
    let finish = Finish::NONE.reserve(NOW, share, HOUR).finish;
    let finish = finish.reserve(NOW, share, HOUR).finish;
    assert_eq!(finish.debt(NOW.saturating_sub(Nanos::from_millis(10))), DEBT_MAX);
}

/// One thread of a slice whose word all threads share.
#[derive(Default)]
struct Thread {
    lease: Lease,
    /// When it launches next, and what has been reserved for that.
    next: Nanos,
    pending: Option<Nanos>,
}

impl Thread {
    /// Goes on until it waits or has launched; returns when it launched.
    fn step(&mut self, finish: &mut Finish, share: Share, cost: Nanos) -> Option<Nanos> {
        let now = self.next;
        if let Some(reserved) = self.pending.take() {
            self.lease.renew(reserved);
        }
        if self.lease.spend(cost) {
            return Some(now);
        }
        let size = lease::size(cost, finish.debt(now) > Nanos::ZERO);
        let reservation = finish.reserve(now, share, size);
        *finish = reservation.finish;
        self.pending = Some(size);
        self.next = reservation.start;
        None
    }
}

proptest! {
    /// Threads that launch as fast as they may, each stopped now and then for up to 10 s wherever it happens to be: between
    /// reserving and launching, or in the middle of a lease.
    #[test]
    fn a_thread_that_is_stopped_between_reserving_and_launching_does_no_harm(
        share in (20..1000u16),
        cost in 10_000..3_000_000u64,
        stops in prop::collection::vec((0..3usize, time(Nanos::from_secs(10))), 1..200),
    ) {
        let (share, cost) = (Share::from_permille(share).unwrap(), Nanos(cost));
        let mut threads = [const { Thread { lease: Lease::EMPTY, next: NOW, pending: None } }; 3];
        let mut finish = Finish::NONE;
        let mut launches: Vec<Nanos> = Vec::new();
        for &(who, stop) in &stops {
            for _ in 0..20 {
                let first = threads.iter_mut().min_by_key(|thread| thread.next).unwrap();
                launches.extend(first.step(&mut finish, share, cost));
            }
            threads[who].next = threads[who].next.saturating_add(stop);
        }
        launches.sort_unstable();
        // Beside what the share gives: one burst, and one lease of each thread that was kept for later.
        let spare = share.gpu(BURST).0 + 3 * lease::TIME_MAX.max(cost).0 + 3 * cost.0;
        for (index, from) in launches.iter().enumerate().step_by(7) {
            for (count, to) in launches.iter().skip(index).enumerate().step_by(7) {
                let used = (count as u64 + 1) * cost.0;
                prop_assert!(used <= share.gpu(to.saturating_sub(*from)).0 + spare, "{used} ns from {from:?} to {to:?}");
            }
        }
    }
}
