//! Whether claims fit on the GPUs of a node together.

use std::collections::BTreeMap;

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
    /// How many containers may share it.
    pub slots: u32,
    /// Why it is not to be used now.
    pub fault: Option<String>,
}

/// Amounts of several GPUs.
pub type Footprint = BTreeMap<Uuid, Amount>;

/// Whether all of its time means that nobody else may have any of a GPU is said by the GPU: see [`fits`].
fn amount(device: &ClaimedDevice) -> Amount {
    let cores = device.cores.map_or(0, |share| share.get().into());
    Amount { slots: 1, memory: device.memory.0.get().into(), cores, is_exclusive: cores >= 100 }
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exceeded {
    /// Of something that is counted.
    #[error("{uuid}: the claim is for {wanted} {unit}, other pods have {taken} {unit}, of {all} {unit}")]
    Amount {
        /// Of which GPU.
        uuid: Uuid,
        /// What is counted.
        unit: &'static str,
        /// By the claim.
        wanted: u64,
        /// By those of others.
        taken: u64,
        /// What there is.
        all: u64,
    },
    /// Somebody else has it alone.
    #[error("{0}: another pod has it alone, with 100 % of its time")]
    Exclusive(Uuid),
    /// It is wanted alone, and others are there.
    #[error(
        "{0}: the claim is for 100 % of its time, which is to have it alone, and other pods have parts of it"
    )]
    InUse(Uuid),
}

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
        if card.cores <= 100 && taken.slots > 0 {
            if taken.is_exclusive {
                return Err(Exceeded::Exclusive(*uuid));
            }
            if wanted.is_exclusive {
                return Err(Exceeded::InUse(*uuid));
            }
        }
        let kinds = [
            ("containers", wanted.slots, taken.slots, card.slots.into()),
            ("MiB", wanted.memory, taken.memory, u64::from(card.memory.0.get())),
            ("% of its time", wanted.cores, taken.cores, card.cores.into()),
        ];
        for (unit, wanted, taken, all) in kinds {
            if wanted > 0 && wanted.saturating_add(taken) > all {
                return Err(Exceeded::Amount { uuid: *uuid, unit, wanted, taken, all });
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
        Card { uuid, index: None, memory: Mib::new(1000).unwrap(), cores: 100, slots: 4, fault: None }
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
        let others = [one(GPU, 1, 60), one(GPU, 1, 60)];
        assert_eq!(fits(&one(GPU, 1, 0), &others, &[card(GPU)]), Ok(()));
    }

    #[test]
    fn who_has_a_gpu_alone_has_it_alone() {
        let (alone, part) = (one(GPU, 100, 100), one(GPU, 100, 0));
        let fit = |own: &Footprint, others: &[Footprint]| fits(own, others, &[card(GPU)]);
        assert_eq!(fit(&alone, &[one(OTHER, 100, 0)]), Ok(()));
        assert_eq!(fit(&part, std::slice::from_ref(&alone)), Err(Exceeded::Exclusive(GPU)));
        assert_eq!(fit(&alone, std::slice::from_ref(&part)), Err(Exceeded::InUse(GPU)));
        let shared = Card { cores: 150, ..card(GPU) };
        assert_eq!(fits(&part, [&alone], &[shared]), Ok(()), "where more time is given out than there is");
    }

    #[test]
    fn no_more_containers_share_a_gpu_than_may() {
        let others = [one(GPU, 1, 0), one(GPU, 1, 0), one(GPU, 1, 0)];
        let two = pod(&[("a", Role::App, &[device(GPU, 1, 0)]), ("b", Role::App, &[device(GPU, 1, 0)])]);
        assert_eq!(fits(&one(GPU, 1, 0), &others, &[card(GPU)]), Ok(()));
        let said =
            format!("{GPU}: the claim is for 2 containers, other pods have 3 containers, of 4 containers");
        assert_eq!(fits(&two, &others, &[card(GPU)]).unwrap_err().to_string(), said);
    }

    proptest! {
        #[test]
        fn what_is_accepted_one_after_the_other_never_exceeds_a_gpu(
            claims in prop::collection::vec((1_u32..400, prop_oneof![3 => 0_u8..40, 1 => Just(100_u8)]), 1..12),
            sharing in prop_oneof![Just(100_u32), 101_u32..300],
        ) {
            let card = Card { cores: sharing, ..card(GPU) };
            let mut accepted: Vec<Footprint> = Vec::new();
            for (memory, cores) in claims {
                let own = one(GPU, memory, cores);
                if fits(&own, &accepted, std::slice::from_ref(&card)).is_ok() {
                    accepted.push(own);
                }
            }
            let sum = |part: fn(&Amount) -> u64| accepted.iter().map(|own| part(&own[&GPU])).sum::<u64>();
            prop_assert!(sum(|amount| amount.memory) <= 1000);
            prop_assert!(sum(|amount| amount.cores) <= sharing.into());
            prop_assert!(sum(|amount| amount.slots) <= 4);
            if sharing == 100 && accepted.iter().any(|own| own[&GPU].cores == 100) {
                prop_assert_eq!(accepted.len(), 1);
            }
        }
    }
}
