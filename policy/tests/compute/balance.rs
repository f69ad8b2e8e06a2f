//! Balance: what must hold of one division, and how fast many of them settle.

use policy::compute::balance::{PERIOD, Part, Rule, Slice, divide};
use policy::compute::demand::{Demand, Seen};
use policy::compute::{Nanos, Share};
use proptest::prelude::*;

fn seen(percent: u64, waited: bool) -> Seen {
    Seen { wall: PERIOD, used: PERIOD.in_proportion(percent, 100), waited }
}

fn slice() -> impl Strategy<Value = Slice> {
    let rule = prop_oneof![2 => Just(Rule::Balance), 1 => Just(Rule::Fixed), 1 => Just(Rule::Unlimited)];
    let history = prop::collection::vec((0..=100u64, any::<bool>()), 0..12);
    (1..=1000u16, rule, 0..3u32, history).prop_map(|(permille, rule, priority, history)| Slice {
        entitlement: Share::from_permille(permille).unwrap(),
        rule,
        priority,
        demand: history
            .iter()
            .fold(Demand::NONE, |demand, &(percent, waited)| demand.after(seen(percent, waited))),
    })
}

/// Slices whose entitlements fit on one device together.
fn device() -> impl Strategy<Value = Vec<Slice>> {
    prop::collection::vec(slice(), 1..=64).prop_map(|mut slices| {
        let sum: u64 = slices.iter().map(|slice| u64::from(slice.entitlement.permille())).sum();
        for slice in &mut slices {
            // 64 times the least share are left for those that would get none.
            let part = Nanos(936).in_proportion(u64::from(slice.entitlement.permille()), sum.max(1000)).0;
            slice.entitlement = Share::from_permille(u16::try_from(part.max(1)).unwrap()).unwrap();
        }
        slices
    })
}

fn parts(slices: &[Slice]) -> Vec<Part> {
    let mut parts: Vec<_> = slices.iter().map(|slice| Part::of(slice.entitlement)).collect();
    divide(slices, &mut parts);
    parts
}

/// What of its share a slice can use: nothing behind a closed gate.
fn usable(slice: &Slice, part: &Part) -> u32 {
    let wanted = if part.is_gated { 0 } else { slice.demand.wanted(slice.entitlement) };
    u32::from(wanted.min(part.share.permille()))
}

proptest! {
    #[test]
    fn limited_slices_never_get_more_than_the_device_together(slices in device()) {
        let limited = slices.iter().zip(parts(&slices)).filter(|(slice, _)| slice.rule != Rule::Unlimited);
        prop_assert!(limited.map(|(slice, part)| usable(slice, &part)).sum::<u32>() <= 1000);
    }

    #[test]
    fn nobody_gets_less_than_he_is_entitled_to(slices in prop::collection::vec(slice(), 1..=64)) {
        for (slice, part) in slices.iter().zip(parts(&slices)) {
            prop_assert!(part.share >= slice.entitlement);
            match slice.rule {
                Rule::Fixed => prop_assert_eq!(part.share, slice.entitlement),
                Rule::Balance => prop_assert!(part.share <= Share::PACED.max(slice.entitlement)),
                Rule::Unlimited => prop_assert_eq!(part.share, Share::FULL),
            }
        }
    }

    #[test]
    fn nothing_is_left_over_while_somebody_wants_it(slices in device()) {
        let parts = parts(&slices);
        let starved = slices.iter().zip(&parts).any(|(slice, part)| {
            slice.rule == Rule::Balance && !part.is_gated && slice.demand.wanted(slice.entitlement) > part.share.permille()
                && part.share < Share::PACED
        });
        let used = |(slice, part): (&Slice, &Part)| match slice.rule {
            Rule::Unlimited => u32::from(slice.demand.used()),
            _ => usable(slice, part),
        };
        prop_assert!(!starved || slices.iter().zip(&parts).map(used).sum::<u32>() >= 1000);
    }

    #[test]
    fn what_is_left_over_goes_in_proportion_to_entitlements(first in 1..500u16, second in 1..500u16) {
        let slices = [first, second].map(|permille| greedy(permille, Rule::Balance));
        let parts = parts(&slices);
        let (one, two) = (u32::from(parts[0].share.permille()), u32::from(parts[1].share.permille()));
        prop_assert!(one + two <= 1000 && one + two >= 999);
        prop_assert!((one * u32::from(second)).abs_diff(two * u32::from(first)) <= 2 * u32::from(first.max(second)));
    }

    #[test]
    fn only_what_is_active_and_lower_is_gated(slices in prop::collection::vec(slice(), 1..=64)) {
        let highest = slices.iter().filter(|slice| slice.demand.is_active()).map(|slice| slice.priority).min();
        for (slice, part) in slices.iter().zip(parts(&slices)) {
            prop_assert_eq!(part.is_gated, highest.is_some_and(|highest| slice.priority > highest));
        }
    }
}

fn greedy(permille: u16, rule: Rule) -> Slice {
    let demand = Demand::NONE.after(seen(10, true));
    Slice { entitlement: Share::from_permille(permille).unwrap(), rule, priority: 1, demand }
}

#[test]
fn a_slice_with_a_quiet_neighbour_gets_the_device() {
    let quiet = Slice { demand: Demand::NONE, ..greedy(700, Rule::Fixed) };
    let parts = parts(&[greedy(300, Rule::Balance), quiet]);
    assert_eq!((parts[0].share, parts[1].share), (Share::PACED, quiet.entitlement));
}

#[test]
fn entitlements_that_are_more_than_the_device_leave_nothing_over() {
    let slices = [greedy(800, Rule::Balance), greedy(700, Rule::Balance)];
    assert!(slices.iter().zip(parts(&slices)).all(|(slice, part)| part.share == slice.entitlement));
}

#[test]
fn what_an_unlimited_slice_uses_is_not_given_out() {
    let mut free = Slice { demand: Demand::NONE, ..greedy(1000, Rule::Unlimited) };
    for _ in 0..60 {
        free.demand = free.demand.after(seen(40, false));
    }
    let permille = parts(&[greedy(300, Rule::Balance), free])[0].share.permille();
    assert!((600..=602).contains(&permille), "{permille}");
}

/// What each of the slices would use if it could, in thousandths, and until when.
type Act<'a> = (Nanos, &'a [u16]);

/// Lets slices under [`Rule::Balance`] play `acts` on a device that serves them by turns, and checks that each use is within ±50 of
/// the one at the end of the act from 1 s after it began on, and within ±20 from 5 s on.
fn play(entitlements: &[u16], acts: &[Act<'_>], jitter: impl Fn(usize) -> u64) {
    let mut slices: Vec<_> =
        entitlements.iter().map(|&e| Slice { demand: Demand::NONE, ..greedy(e, Rule::Balance) }).collect();
    let mut shares = parts(&slices);
    for &(length, wants) in acts {
        let mut history = Vec::new();
        let mut at = Nanos::ZERO;
        while at < length {
            let wall = Nanos(PERIOD.0 + jitter(history.len()));
            at = at.saturating_add(wall);
            let used = serve(
                &wants
                    .iter()
                    .zip(&shares)
                    .map(|(want, part)| *want.min(&part.share.permille()))
                    .collect::<Vec<_>>(),
            );
            for ((slice, (use_, want)), part) in slices.iter_mut().zip(used.iter().zip(wants)).zip(&shares) {
                let waited = *use_ >= part.share.permille() && part.share.permille() < *want;
                slice.demand = slice.demand.after(Seen {
                    wall,
                    used: wall.in_proportion(u64::from(*use_), 1000),
                    waited,
                });
            }
            divide(&slices, &mut shares);
            history.push((at, used));
        }
        let end = history.last().unwrap().1.clone();
        for (at, used) in history {
            let off = used.iter().zip(&end).map(|(one, other)| one.abs_diff(*other)).max().unwrap();
            assert!(at < Nanos::from_secs(1) || off <= 50, "{at:?}: {used:?}, in the end {end:?}");
            assert!(at < Nanos::from_secs(5) || off <= 20, "{at:?}: {used:?}, in the end {end:?}");
        }
        check_end(entitlements, wants, &end);
    }
}

/// Serves by turns: each gets what it asks for, or an equal part of what the others leave.
fn serve(asked: &[u16]) -> Vec<u16> {
    let mut order: Vec<usize> = (0..asked.len()).collect();
    order.sort_by_key(|&index| asked[index]);
    let (mut left, mut served, mut others) =
        (1000, vec![0; asked.len()], u16::try_from(asked.len()).unwrap());
    for index in order {
        served[index] = asked[index].min(left / others);
        left -= served[index];
        others -= 1;
    }
    served
}

/// In the end everybody has what he wants, or at least what he is entitled to; and if anyone wants more, the device is used but for
/// the room that is left to the others to grow.
fn check_end(entitlements: &[u16], wants: &[u16], end: &[u16]) {
    let mut is_short = false;
    for ((use_, want), entitled) in end.iter().zip(wants).zip(entitlements) {
        assert!(*use_ + 20 >= *want.min(entitled), "{end:?} of {wants:?} for {entitlements:?}");
        is_short |= use_ + 20 < *want;
    }
    assert!(!is_short || end.iter().sum::<u16>() >= 920, "{end:?} of {wants:?}");
}

const TEN: Nanos = Nanos::from_secs(10);

#[test]
fn a_neighbour_that_starts_or_stops_is_settled_within_a_second() {
    for late in [0, 30_000_000] {
        let acts: &[Act<'_>] = &[
            (TEN, &[1000, 0]),
            (TEN, &[1000, 1000]),
            (TEN, &[1000, 0]),
            (TEN, &[0, 1000]),
            (TEN, &[1000, 1000]),
        ];
        play(&[300, 700], acts, |tick| late * (tick as u64 % 2));
        play(&[100, 400], acts, |tick| late * (tick as u64 % 2));
    }
}

#[test]
fn slices_that_want_something_between_are_settled_too() {
    let acts: &[Act<'_>] =
        &[(TEN, &[1000, 100, 0]), (TEN, &[1000, 600, 0]), (TEN, &[1000, 600, 150]), (TEN, &[1000, 50, 1000])];
    play(&[200, 500, 300], acts, |_| 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_slices_want_is_settled(wants in prop::collection::vec(prop::collection::vec(prop_oneof![Just(0u16), Just(1000), 0..1000u16], 4), 1..6)) {
        let acts: Vec<Act<'_>> = wants.iter().map(|wants| (TEN, wants.as_slice())).collect();
        play(&[100, 200, 300, 400], &acts, |tick| (tick as u64 * 7_919_000) % 20_000_000);
    }
}
