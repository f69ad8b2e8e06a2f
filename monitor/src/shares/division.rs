//! Dividing each GPU among the slices that may use it.

use std::collections::BTreeMap;
use std::time::Duration;

use contract::limits_page::{Effective, Entry, SharePolicy};
use contract::{Permille, Uuid};
use policy::compute::balance::{self, Part, Rule};
use policy::compute::{Nanos, Share};

use super::slice::Slice;

/// A slice by its place in the list, and its entry of a GPU.
type User = (usize, usize);

/// Allows every slice what it is to have of each of its GPUs.
pub(super) fn divide(slices: &mut [&mut Slice], now: Nanos) {
    for (gpu, users) in users(slices) {
        let entries: Vec<Entry> =
            users.iter().map(|(slice, entry)| slices[*slice].entries()[*entry]).collect();
        if !needs_owner(&entries) {
            users.iter().for_each(|(slice, entry)| slices[*slice].allow(*entry, None));
            continue;
        }
        let wants = |(entry, (slice, _)): (&Entry, &User)| wants(entry, slices[*slice], gpu);
        let wanted: Vec<balance::Slice> = entries.iter().zip(&users).map(wants).collect();
        let mut parts: Vec<Part> = wanted.iter().map(|slice| Part::of(slice.entitlement)).collect();
        balance::divide(&wanted, &mut parts);
        for ((slice, entry), part) in users.iter().zip(parts) {
            slices[*slice].allow(*entry, Some(effective(part, now)));
        }
    }
}

fn users(slices: &[&mut Slice]) -> BTreeMap<Uuid, Vec<User>> {
    let mut users: BTreeMap<Uuid, Vec<User>> = BTreeMap::new();
    for (place, slice) in slices.iter().enumerate() {
        for (at, entry) in slice.entries().iter().enumerate() {
            users.entry(entry.uuid).or_default().push((place, at));
        }
    }
    users
}

/// Whether there is anything to decide among slices with these entries of one GPU. Where there is not, nothing need be measured of
/// those that have no limit.
fn needs_owner(entries: &[Entry]) -> bool {
    let balances = entries.iter().any(|entry| rule(entry) == Rule::Balance);
    balances || entries.windows(2).any(|pair| pair[0].priority != pair[1].priority)
}

fn rule(entry: &Entry) -> Rule {
    match (entry.policy, entry.cores) {
        (SharePolicy::Unlimited, _) | (_, None) => Rule::Unlimited,
        (SharePolicy::Fixed, Some(_)) => Rule::Fixed,
        (SharePolicy::Balance, Some(_)) => Rule::Balance,
    }
}

fn wants(entry: &Entry, slice: &Slice, gpu: Uuid) -> balance::Slice {
    let entitlement = entry.cores.and_then(|cores| Share::from_percent(cores.get()));
    balance::Slice {
        entitlement: entitlement.unwrap_or(Share::FULL),
        rule: rule(entry),
        priority: entry.priority.0,
        demand: slice.demand(gpu),
    }
}

fn effective(part: Part, now: Nanos) -> Effective {
    Effective {
        share: Permille::new(part.share.permille()).unwrap_or(Permille::LEAST),
        is_gated: part.is_gated,
        at: Duration::from_nanos(now.0),
    }
}
