//! What a limits page and the environment say together about a share of compute time.

use std::time::Duration;

use contract::env::CorePolicy;
use contract::limits_page::{
    ComputeWords, Effective, EnvShare, InForce, NO_LIMIT, SharePolicy, in_force, priority, share_policy,
};
use contract::{Percent, Permille};
use proptest::prelude::*;

const NOW: Duration = Duration::from_secs(1000);
const FIXED: u64 = 0;
const BALANCE: u64 = 1;
const UNLIMITED: u64 = 2;

fn permille(share: u16) -> Permille {
    Permille::new(share).expect("a share")
}

fn effective(share: u16, is_gated: bool, at: Duration) -> u64 {
    Effective { share: permille(share), is_gated, at }.word()
}

fn env(cores: Option<u8>, policy: CorePolicy) -> EnvShare {
    EnvShare { cores: cores.and_then(Percent::new), policy }
}

/// The share in thousandths, and whether the gate is closed.
fn of(page: Option<ComputeWords>, env: EnvShare) -> (u16, bool) {
    let InForce { share, is_gated } = in_force(page, env, NOW);
    (share.get(), is_gated)
}

#[test]
fn the_word_is_as_documented() {
    let written = Effective { share: permille(300), is_gated: true, at: Duration::from_micros(5) };
    assert_eq!(written.word(), 5 << 11 | 1 << 10 | 300);
    assert_eq!(Effective::from_word(written.word()), Some(written));
    for nothing in [0, 1 << 11, 1001, 1023] {
        assert_eq!(Effective::from_word(nothing), None, "{nothing}");
    }
}

#[test]
fn policies_have_names_and_numbers() {
    for (word, policy) in (0..).zip(SharePolicy::ALL) {
        assert_eq!(share_policy(word), Ok(policy));
        assert_eq!(policy.to_string().parse(), Ok(policy));
    }
    assert_eq!(share_policy(3), Err(3));
    assert_eq!("Fixed".parse::<SharePolicy>(), Err("write fixed, balance or none"));
    assert_eq!(priority(0).map(|priority| priority.0), Ok(1));
    assert_eq!(priority(1).map(|priority| priority.0), Ok(0));
}

#[test]
fn each_policy_makes_of_a_share_what_it_says() {
    let page = |policy, effective| Some(ComputeWords { cores: 30, policy, effective });
    let none = EnvShare::default();
    let more = effective(700, false, NOW);
    assert_eq!(of(page(FIXED, more), none), (300, false));
    assert_eq!(of(page(BALANCE, more), none), (700, false));
    assert_eq!(of(page(BALANCE, 0), none), (300, false));
    assert_eq!(of(page(UNLIMITED, more), none), (1000, false));
    assert_eq!(of(page(77, more), none), (300, false), "one that is not known is the strictest");
    let unlimited =
        Some(ComputeWords { cores: NO_LIMIT, policy: BALANCE, effective: effective(1, false, NOW) });
    assert_eq!(of(unlimited, none), (1000, false));
    let unreadable = Some(ComputeWords { cores: 0, policy: FIXED, effective: 0 });
    assert_eq!(of(unreadable, none), (1, false));
}

#[test]
fn a_page_that_is_not_written_any_more_allows_the_own_share_and_closes_no_gate() {
    for policy in [FIXED, BALANCE, UNLIMITED] {
        let own = if policy == UNLIMITED { 1000 } else { 300 };
        for (age, counts) in [(0, true), (999, true), (1000, false), (1_000_000, false)] {
            let at = NOW - Duration::from_millis(age);
            let page = ComputeWords { cores: 30, policy, effective: effective(700, true, at) };
            let share = if policy == BALANCE && counts { 700 } else { own };
            assert_eq!(of(Some(page), EnvShare::default()), (share, counts), "{policy}, {age} ms");
        }
    }
    let ahead = ComputeWords { cores: 30, policy: BALANCE, effective: effective(700, true, NOW * 2) };
    assert_eq!(of(Some(ahead), EnvShare::default()), (300, false));
}

#[test]
fn the_environment_alone() {
    use CorePolicy::{Default, Disable, Force};
    let table =
        [(None, Default, 1000), (Some(30), Default, 300), (Some(30), Force, 300), (Some(30), Disable, 1000)];
    for (cores, policy, share) in table {
        assert_eq!(of(None, env(cores, policy)), (share, false));
    }
}

#[test]
fn force_in_the_environment_makes_the_pages_share_the_most() {
    let force = env(None, CorePolicy::Force);
    for policy in [FIXED, BALANCE, UNLIMITED] {
        let page = ComputeWords { cores: 30, policy, effective: effective(700, true, NOW) };
        assert_eq!(of(Some(page), force), (300, true));
    }
}

proptest! {
    #[test]
    fn every_word_is_read_and_written_back(word: u64) {
        if let Some(effective) = Effective::from_word(word) {
            prop_assert_eq!(effective.word(), word);
        }
    }

    #[test]
    fn the_environment_never_makes_a_page_looser(
        cores in prop_oneof![1..=100_u64, Just(NO_LIMIT), any::<u64>()],
        policy in prop_oneof![0..3_u64, any::<u64>()],
        share in 1..=1000_u16,
        is_gated: bool,
        age in 0..2000_u64,
        env_cores in proptest::option::of(1..=99_u8),
        env_policy in proptest::sample::select(vec![CorePolicy::Default, CorePolicy::Force, CorePolicy::Disable]),
    ) {
        let at = NOW - Duration::from_millis(age);
        let page = Some(ComputeWords { cores, policy, effective: effective(share, is_gated, at) });
        let alone = in_force(page, EnvShare::default(), NOW);
        let both = in_force(page, env(env_cores, env_policy), NOW);
        prop_assert!(both.share <= alone.share);
        prop_assert_eq!(both.is_gated, alone.is_gated);
        if env_policy != CorePolicy::Disable {
            prop_assert!(both.share <= in_force(None, env(env_cores, env_policy), NOW).share);
        }
    }
}
