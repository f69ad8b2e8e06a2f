//! The most that the containers of a pod hold at one time.

use std::collections::BTreeMap;

use crate::amount::Amount;

/// When a container runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Alone among its kind, before the app containers.
    Init,
    /// From its place among the init containers on, for as long as the pod runs.
    Sidecar,
    /// Together with all other app containers.
    App,
}

/// The most of each device that `containers` hold at one time; they are in the order in which they start.
///
/// Init containers run one after the other, each beside the sidecars before it; then come all others together. Who has ended may
/// be started again with its pod, so this does not shrink while the pod lives.
pub fn peak<K: Ord + Copy, D: IntoIterator<Item = (K, Amount)>>(
    containers: impl IntoIterator<Item = (Role, D)>,
) -> BTreeMap<K, Amount> {
    let (mut lasting, mut most) = (BTreeMap::<K, Amount>::new(), BTreeMap::<K, Amount>::new());
    for (role, devices) in containers {
        for (device, amount) in devices {
            let together = lasting.get(&device).copied().unwrap_or_default().plus(amount);
            let peak = most.entry(device).or_default();
            *peak = peak.most(together);
            if role != Role::Init {
                lasting.insert(device, together);
            }
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn amount(memory: u64, cores: u64) -> Amount {
        Amount { slots: 1, memory, cores, is_exclusive: false }
    }

    #[test]
    fn init_containers_take_turns_and_the_others_add_up() {
        let got = peak([
            (Role::Init, vec![(0, amount(500, 0))]),
            (Role::Sidecar, vec![(0, amount(100, 10))]),
            (Role::Init, vec![(0, amount(300, 50)), (1, amount(7, 0))]),
            (Role::App, vec![(0, amount(200, 20))]),
            (Role::App, vec![(0, amount(100, 20))]),
        ]);
        assert_eq!(got[&0], Amount { slots: 3, ..amount(500, 60) });
        assert_eq!(got[&1], amount(7, 0));
    }
}
