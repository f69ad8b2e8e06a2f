//! Whether claims fit on the GPUs of a node together.

use std::collections::BTreeMap;
use std::fmt;

use contract::Uuid;
use contract::claim::{Claim, ClaimedDevice, Mib};
use placement::Amount;

use super::pod::ContainerFacts;

/// A GPU of this node, as the scheduler was told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Its identity.
    pub uuid: Uuid,
    /// Its place in NVML's order.
    pub index: Option<u32>,
    /// Memory that may be claimed of it, all claims together.
    pub memory: Mib,
    /// Percent of its time that may be claimed of it, all claims together.
    pub cores: u32,
    /// Why it is not to be used now.
    pub fault: Option<String>,
}

/// Amounts of several GPUs.
pub type Footprint = BTreeMap<Uuid, Amount>;

fn amount(device: &ClaimedDevice) -> Amount {
    let cores = device.cores.map_or(0, |share| share.get().into());
    Amount { slots: 1, memory: device.memory.0.get().into(), cores, is_exclusive: false }
}

/// The [most](placement::peak) that the containers of a pod may hold of each GPU at one time.
#[must_use]
pub fn footprint(claim: &Claim, containers: &[ContainerFacts]) -> Footprint {
    placement::peak(containers.iter().map(|container| {
        let devices = claim.containers().get(&container.name).into_iter().flatten();
        (container.role.into(), devices.map(|device| (device.uuid, amount(device))))
    }))
}

/// Adds `more` to `sum`.
pub fn add(sum: &mut Footprint, more: &Footprint) {
    for (uuid, amount) in more {
        let sum = sum.entry(*uuid).or_default();
        *sum = sum.plus(*amount);
    }
}

/// A claim and those of others need more of a GPU than it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exceeded {
    uuid: Uuid,
    unit: &'static str,
    wanted: u64,
    taken: u64,
    all: u64,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { uuid, unit, wanted, taken, all } = self;
        write!(f, "{uuid}: the claim is for {wanted} {unit}, other pods have {taken} {unit}, of {all} {unit}")
    }
}

impl std::error::Error for Exceeded {}

/// Whether `own` fits on `cards` beside `others`. GPUs that are not among the cards are somebody else's question.
///
/// # Errors
/// [`Exceeded`]: the first GPU of which there is not enough.
pub fn fits<'a>(
    own: &Footprint,
    others: impl IntoIterator<Item = &'a Footprint>,
    cards: &[Card],
) -> Result<(), Exceeded> {
    let mut taken = Footprint::new();
    others.into_iter().for_each(|other| add(&mut taken, other));
    for (uuid, wanted) in own {
        let Some(card) = cards.iter().find(|card| card.uuid == *uuid) else { continue };
        let taken = taken.get(uuid).copied().unwrap_or_default();
        let kinds = [
            ("MiB", wanted.memory, taken.memory, u64::from(card.memory.0.get())),
            ("% of its time", wanted.cores, taken.cores, card.cores.into()),
        ];
        for (unit, wanted, taken, all) in kinds {
            if wanted > 0 && wanted.saturating_add(taken) > all {
                return Err(Exceeded { uuid: *uuid, unit, wanted, taken, all });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::pod::Role;
    use super::*;
    use contract::Percent;
    use proptest::prelude::*;

    const GPU: Uuid = Uuid([1; 16]);
    const OTHER: Uuid = Uuid([2; 16]);

    fn device(uuid: Uuid, memory: u32, cores: u8) -> ClaimedDevice {
        ClaimedDevice { uuid, memory: Mib::new(memory).unwrap(), cores: Percent::new(cores) }
    }

    fn pod(containers: &[(&str, Role, &[ClaimedDevice])]) -> Footprint {
        let devices = containers.iter().map(|(name, _, devices)| (name.parse().unwrap(), devices.to_vec()));
        let claim = Claim::new("p".parse().unwrap(), "n".to_owned(), devices.collect()).unwrap();
        let facts = containers.iter().map(|(name, role, devices)| ContainerFacts {
            name: name.parse().unwrap(),
            role: *role,
            devices: devices.len(),
        });
        footprint(&claim, &facts.collect::<Vec<_>>())
    }

    fn one(uuid: Uuid, memory: u32, cores: u8) -> Footprint {
        pod(&[("a", Role::App, &[device(uuid, memory, cores)])])
    }

    fn card(uuid: Uuid) -> Card {
        Card { uuid, index: None, memory: Mib::new(1000).unwrap(), cores: 100, fault: None }
    }

    #[test]
    fn containers_of_a_pod_hold_what_they_hold_at_one_time() {
        let got = pod(&[
            ("first", Role::Init, &[device(GPU, 500, 0)]),
            ("proxy", Role::Sidecar, &[device(GPU, 100, 10)]),
            ("second", Role::Init, &[device(GPU, 300, 50), device(OTHER, 7, 0)]),
            ("main", Role::App, &[device(GPU, 200, 20)]),
        ]);
        assert_eq!((got[&GPU].memory, got[&GPU].cores), (500, 60));
        assert_eq!((got[&OTHER].memory, got[&OTHER].cores), (7, 0));
    }

    #[test]
    fn the_last_mib_and_percent_fit_and_one_more_does_not() {
        let others = [one(GPU, 600, 70), one(OTHER, 900, 90)];
        let fit = |memory, cores| fits(&one(GPU, memory, cores), &others, &[card(GPU)]);
        assert_eq!(fit(400, 30), Ok(()));
        let said = format!("{GPU}: the claim is for 401 MiB, other pods have 600 MiB, of 1000 MiB");
        assert_eq!(fit(401, 30).unwrap_err().to_string(), said);
        let said = format!(
            "{GPU}: the claim is for 31 % of its time, other pods have 70 % of its time, of 100 % of its time"
        );
        assert_eq!(fit(400, 31).unwrap_err().to_string(), said);
    }

    #[test]
    fn who_wants_no_share_is_not_refused_because_others_have_too_much() {
        let others = [one(GPU, 1, 100), one(GPU, 1, 100)];
        assert_eq!(fits(&one(GPU, 1, 0), &others, &[card(GPU)]), Ok(()));
    }

    proptest! {
        #[test]
        fn what_is_accepted_one_after_the_other_never_exceeds_a_gpu(
            claims in prop::collection::vec((1_u32..700, 0_u8..=100), 1..12),
        ) {
            let mut accepted: Vec<Footprint> = Vec::new();
            for (memory, cores) in claims {
                let own = one(GPU, memory, cores);
                if fits(&own, &accepted, &[card(GPU)]).is_ok() {
                    accepted.push(own);
                }
            }
            let sum = |part: fn(&Amount) -> u64| accepted.iter().map(|own| part(&own[&GPU])).sum::<u64>();
            prop_assert!(sum(|amount| amount.memory) <= 1000);
            prop_assert!(sum(|amount| amount.cores) <= 100);
        }
    }
}
