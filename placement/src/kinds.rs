//! Containers of a pod that ask for the same.

use crate::peak::Role;
use crate::request::ContainerRequest;

/// Containers that differ in nothing but their names and when they run. Pods with many have few kinds of them, and whether there is
/// room for one is the same question for all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind<'a> {
    /// The first of them.
    pub first: &'a ContainerRequest,
    /// How many of them run at the same time.
    pub lasting: u64,
}

fn is_alike(one: &ContainerRequest, other: &ContainerRequest) -> bool {
    (one.count, one.memory, one.cores) == (other.count, other.memory, other.cores)
}

/// The kinds of `containers`, in the order of the first of each, and of which of them each container is.
pub(crate) fn kinds(containers: &[ContainerRequest]) -> (Vec<Kind<'_>>, Vec<usize>) {
    let (mut kinds, mut of) = (Vec::<Kind<'_>>::new(), Vec::with_capacity(containers.len()));
    for container in containers {
        let known = kinds.iter().position(|kind| is_alike(kind.first, container));
        let place = known.unwrap_or(kinds.len());
        if known.is_none() {
            kinds.push(Kind { first: container, lasting: 0 });
        }
        kinds[place].lasting += u64::from(container.role != Role::Init);
        of.push(place);
    }
    (kinds, of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Cores, Memory};

    #[test]
    fn who_asks_for_the_same_is_of_one_kind_and_init_containers_take_turns() {
        let container = |name: &str, role, count| ContainerRequest {
            name: name.to_owned(),
            role,
            count,
            memory: Memory::Units(1),
            cores: Cores::Unlimited,
        };
        let all = [
            container("a", Role::Init, 1),
            container("b", Role::App, 2),
            container("c", Role::Sidecar, 1),
            container("d", Role::App, 2),
        ];
        let (found, of) = kinds(&all);
        let found: Vec<_> = found.iter().map(|kind| (kind.first.name.as_str(), kind.lasting)).collect();
        assert_eq!((found, of), (vec![("a", 1), ("b", 2)], vec![0, 1, 0, 1]));
    }
}
