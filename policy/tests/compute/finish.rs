//! The finish time on a clock that behaves.

use policy::compute::finish::{BURST, DEBT_MAX, Finish, WAIT_MAX};
use policy::compute::{Nanos, Share};
use proptest::prelude::*;

use super::{NOW, limit, time};

/// Wall time by which an instant of the word may be off: it counts in units of 16 ns.
const TICK: Nanos = Nanos(16);

/// Something that happens to a finish time, so long after what happened before.
#[derive(Clone, Copy, Debug)]
enum Event {
    Reserve(Nanos),
    Charge(Nanos),
    GiveBack(Nanos),
}

fn event() -> impl Strategy<Value = (Nanos, Event)> {
    let cost = || time(Nanos::from_millis(200));
    let what = prop_oneof![
        4 => cost().prop_map(Event::Reserve),
        1 => cost().prop_map(Event::Charge),
        1 => cost().prop_map(Event::GiveBack),
    ];
    (time(Nanos::from_millis(500)), what)
}

/// An event as it went: when, when its work could start, and what it charged in nanoseconds of GPU time.
struct Done {
    now: Nanos,
    start: Option<Nanos>,
    charged: i128,
}

fn play(share: Share, events: &[(Nanos, Event)]) -> Vec<Done> {
    let (mut finish, mut now) = (Finish::NONE, NOW);
    let mut play = |&(after, event): &(Nanos, Event)| {
        now = now.saturating_add(after);
        let (start, charged) = match event {
            Event::Reserve(cost) => {
                let reservation = finish.reserve(now, share, cost);
                finish = reservation.finish;
                (Some(reservation.start), i128::from(cost.0))
            }
            Event::Charge(cost) => {
                finish = finish.correct(now, share, i64::try_from(cost.0).unwrap());
                (None, i128::from(cost.0))
            }
            Event::GiveBack(cost) => {
                finish = finish.correct(now, share, -i64::try_from(cost.0).unwrap());
                (None, -i128::from(cost.0))
            }
        };
        Done { now, start, charged }
    };
    events.iter().map(&mut play).collect()
}

proptest! {
    #[test]
    fn no_gpu_time_is_created(share in (50..1000u16), events in prop::collection::vec(event(), 2..60)) {
        let share = Share::from_permille(share).unwrap();
        let done = play(share, &events);
        for (index, first) in done.iter().enumerate() {
            let mut net = 0;
            for last in done.iter().skip(index) {
                // All that was charged from `first` to before `last` fits in what the share gave until `last` could start.
                if let Some(start) = last.start {
                    let wall = start.saturating_sub(first.now).saturating_add(BURST).saturating_add(TICK);
                    prop_assert!(net * 1000 <= i128::from(share.permille()) * i128::from(wall.0), "{net} ns in {wall:?}");
                }
                net += last.charged;
            }
        }
    }

    #[test]
    fn who_comes_first_is_served_first_and_in_full(share in limit(), events in prop::collection::vec((time(Nanos::from_millis(100)), time(Nanos::from_millis(5))), 1..50)) {
        let reservations: Vec<_> = events.iter().map(|&(after, cost)| (after, Event::Reserve(cost))).collect();
        let done = play(share, &reservations);
        for pair in done.windows(2) {
            let [before, after] = pair else { unreachable!() };
            let (first, second) = (before.start.unwrap(), after.start.unwrap());
            prop_assert!(first <= second);
            // If the later one waits, he waits for all of the earlier one, and not for more.
            if first > before.now && second > after.now {
                let between = second.saturating_sub(first);
                let due = share.wall(Nanos(u64::try_from(before.charged).unwrap()));
                prop_assert!(between.0.abs_diff(due.0) <= 3 * TICK.0, "{between:?}, not {due:?}");
            }
        }
    }

    #[test]
    fn debt_is_repaid_at_the_rate_of_the_share(share in limit(), cost in time(DEBT_MAX), after in time(Nanos::from_secs(100))) {
        let finish = Finish::NONE.reserve(NOW, share, cost).finish;
        let owed = finish.debt(NOW);
        prop_assert!(owed <= cost);
        let later = finish.debt(NOW.saturating_add(after));
        prop_assert!(later.0.abs_diff(owed.saturating_sub(share.gpu(after)).0) <= TICK.0 + 2);
        let paid = NOW.saturating_add(share.wall(owed)).saturating_add(TICK).saturating_add(TICK);
        prop_assert_eq!(finish.debt(paid), Nanos::ZERO);
        prop_assert_eq!(finish.reserve(paid, share, Nanos::ZERO).wait_until(paid), None);
    }

    #[test]
    fn a_changed_limit_is_in_force_at_once_and_keeps_the_debt(from in limit(), to in limit(), owed in time(Nanos::from_secs(30))) {
        let burst = from.gpu(BURST);
        let finish = Finish::NONE.reserve(NOW, from, burst.saturating_add(owed)).finish;
        let reservation = finish.reserve(NOW, to, Nanos::ZERO);
        let wait = reservation.start.saturating_sub(NOW);
        prop_assert!(wait.0.abs_diff(to.wall(owed).0) <= to.wall(Nanos(TICK.0)).0 + 3 * TICK.0, "{wait:?}");
        prop_assert!(reservation.finish.debt(NOW).0.abs_diff(owed.0) <= 3 * TICK.0);
    }

    #[test]
    fn processes_with_different_limits_on_one_word_neither_make_nor_lose_debt(shares in prop::collection::vec(limit(), 1..40), owed in time(Nanos::from_secs(30))) {
        let first = shares[0];
        let start = Finish::NONE.reserve(NOW, first, first.gpu(BURST).saturating_add(owed)).finish;
        let end = shares.iter().fold(start, |finish, &share| finish.reserve(NOW, share, Nanos::ZERO).finish);
        let (owed, most) = (start.debt(NOW), shares.len() as u64 * TICK.0);
        prop_assert!(end.debt(NOW) >= owed.saturating_sub(Nanos(TICK.0)) && end.debt(NOW).0 <= owed.0 + most);
    }

    #[test]
    fn a_changed_limit_makes_no_credit(from in limit(), to in limit(), idle in time(Nanos::from_secs(100))) {
        let finish = Finish::NONE.reserve(NOW, from, Nanos(1)).finish;
        let now = NOW.saturating_add(idle);
        let filled = finish.reserve(now, to, to.gpu(BURST).saturating_add(Nanos(TICK.0 * 2))).finish;
        prop_assert!(filled.reserve(now, to, Nanos(1)).start > now);
    }

    #[test]
    fn giving_back_makes_no_more_than_a_burst(share in limit(), cost in time(DEBT_MAX), back in any::<i64>()) {
        let finish = Finish::NONE.reserve(NOW, share, cost).finish.correct(NOW, share, back.min(0));
        let burst = share.gpu(BURST).saturating_add(Nanos(TICK.0 * 2));
        let filled = finish.reserve(NOW, share, burst).finish;
        prop_assert!(filled.reserve(NOW, share, Nanos(1)).start > NOW);
    }

    #[test]
    fn what_was_charged_too_much_can_be_given_back(share in limit(), owed in time(Nanos::from_secs(1)), guess in time(Nanos::from_secs(1)), cost in time(Nanos::from_secs(1))) {
        let before = Finish::NONE.reserve(NOW, share, share.gpu(BURST).saturating_add(owed)).finish;
        let by = cost.minus(guess);
        let after = before.reserve(NOW, share, guess).finish.correct(NOW, share, by);
        prop_assert!(after.debt(NOW).0.abs_diff(before.debt(NOW).0 + cost.0) <= 3 * TICK.0);
    }

    #[test]
    fn nobody_waits_longer_than_the_longest_wait(share in limit(), cost in time(DEBT_MAX)) {
        let finish = Finish::NONE.reserve(NOW, share, cost).finish;
        let until = finish.reserve(NOW, share, cost).wait_until(NOW);
        prop_assert!(until.is_none_or(|until| until > NOW && until <= NOW.saturating_add(WAIT_MAX)));
    }
}
