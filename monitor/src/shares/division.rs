//! Dividing each GPU among the slices that may use it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use contract::limits_page::{Effective, Entry, SharePolicy};
use contract::{Permille, Uuid};
use policy::compute::balance::{self, Part, Rule};
use policy::compute::{Nanos, Share};

use super::slice::Slice;

/// A slice by its place in the list, and its entry of a GPU.
pub(super) type User = (usize, usize);

/// The slices of each GPU.
pub(super) type Users = BTreeMap<Uuid, Vec<User>>;

/// Allows the `users` of `gpu`, of which `whole` is there for them, what they are to have.
pub(super) fn divide(gpu: Uuid, users: &[User], slices: &[&mut Slice], whole: Share, now: Nanos) {
    let wants = |(slice, entry): &User| wants(&slices[*slice].entries()[*entry], slices[*slice], gpu);
    let wanted: Vec<balance::Slice> = users.iter().map(wants).collect();
    let mut parts: Vec<Part> = wanted.iter().map(|slice| Part::of(slice.entitlement)).collect();
    balance::divide_part(whole, &wanted, &mut parts);
    for (((slice, entry), wanted), part) in users.iter().zip(&wanted).zip(parts) {
        let own = (wanted.rule != Rule::Unlimited).then(|| permille(wanted.entitlement));
        slices[*slice].allow(*entry, own, effective(part, now));
    }
}

/// Who uses which GPU.
pub(super) fn users(slices: &[&mut Slice]) -> Users {
    let mut users = Users::new();
    for (place, slice) in slices.iter().enumerate() {
        for (at, entry) in slice.entries().iter().enumerate() {
            users.entry(entry.uuid).or_default().push((place, at));
        }
    }
    users
}

/// Whether there is anything to decide among these users of one GPU. Where there is not, nothing need be measured of those that
/// have no limit, and nobody's region need be read.
pub(super) fn needs_owner(users: &[User], slices: &[&mut Slice]) -> bool {
    let entries: Vec<&Entry> = users.iter().map(|(slice, entry)| &slices[*slice].entries()[*entry]).collect();
    let balances = entries.iter().any(|entry| rule(entry) == Rule::Balance);
    balances || entries.windows(2).any(|pair| pair[0].priority != pair[1].priority)
}

/// The slices that share one of the `contested` GPUs with somebody who works there, or are that.
pub(super) fn beside_work(contested: &Users, slices: &[&mut Slice]) -> BTreeSet<usize> {
    let works =
        |gpu: &Uuid, users: &[User]| users.iter().any(|(slice, _)| slices[*slice].demand(*gpu).is_active());
    let busy = contested.iter().filter(|(gpu, users)| works(gpu, users));
    busy.flat_map(|(_, users)| users).map(|(slice, _)| *slice).collect()
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
    Effective { share: permille(part.share), is_gated: part.is_gated, at: Duration::from_nanos(now.0) }
}

fn permille(share: Share) -> Permille {
    Permille::new(share.permille()).unwrap_or(Permille::LEAST)
}
