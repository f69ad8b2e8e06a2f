//! Whose containers kubelet is asking for: exactly, or not at all.

use std::collections::BTreeSet;

use contract::claim::{ContainerName, NameError, PodUid};

use super::token::Token;
use crate::kubelet::checkpoint::Entry;

/// A container that holds devices, by the answer that it holds them with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant {
    /// Its container.
    pub container: ContainerName,
    /// Names its slice.
    pub token: Token,
}

/// Containers of one pod that hold the same devices: usually one, and with init containers those that get them in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenants {
    /// Their pod.
    pub pod: PodUid,
    /// All of them, in the order of kubelet's record. Never empty; no token twice.
    pub containers: Vec<Tenant>,
}

/// It cannot be said whose containers these are. Kubelet asks again, and its record may say more by then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// Kubelet asks for no devices, or for one twice.
    #[error("kubelet asks for the devices {}, which no container can hold", .0.join(", "))]
    Senseless(Vec<String>),
    /// Nobody holds exactly these.
    #[error("no container in kubelet's checkpoint holds exactly {}", .0.join(", "))]
    Nobody(Vec<String>),
    /// Two pods hold them.
    #[error("the pods {} and {} hold the same devices in kubelet's checkpoint", .0, .1)]
    SeveralPods(String, String),
    /// Two containers hold one answer.
    #[error("two containers of pod {0} hold one answer to Allocate in kubelet's checkpoint")]
    SharedToken(PodUid),
    /// The devices were given out by another program.
    #[error(
        "the devices of container {container} of pod {pod} were allocated by another device plugin; delete the pod, so that \
         another one takes its place"
    )]
    Foreign {
        /// Whose pod.
        pod: PodUid,
        /// Which container.
        container: ContainerName,
    },
    /// Names that no pod or container has.
    #[error("kubelet's checkpoint: {0}")]
    Name(NameError),
}

/// The containers that hold exactly the devices `ids` according to `entries`, which are of one resource.
///
/// # Errors
/// [`Unresolved`] when nobody does, or it is not beyond doubt who.
pub fn resolve(entries: &[Entry], ids: &[String]) -> Result<Tenants, Unresolved> {
    let wanted: BTreeSet<String> = ids.iter().cloned().collect();
    if wanted.is_empty() || wanted.len() != ids.len() {
        return Err(Unresolved::Senseless(ids.to_vec()));
    }
    let holders: Vec<&Entry> = entries.iter().filter(|entry| entry.ids == wanted).collect();
    let Some(first) = holders.first() else {
        return Err(Unresolved::Nobody(wanted.into_iter().collect()));
    };
    if let Some(other) = holders.iter().find(|other| other.pod_uid != first.pod_uid) {
        return Err(Unresolved::SeveralPods(first.pod_uid.clone(), other.pod_uid.clone()));
    }
    let pod: PodUid = first.pod_uid.parse().map_err(Unresolved::Name)?;
    let containers: Vec<Tenant> =
        holders.iter().map(|entry| tenant(&pod, entry)).collect::<Result<_, _>>()?;
    let tokens: BTreeSet<Token> = containers.iter().map(|tenant| tenant.token).collect();
    if tokens.len() != containers.len() {
        return Err(Unresolved::SharedToken(pod));
    }
    Ok(Tenants { pod, containers })
}

fn tenant(pod: &PodUid, entry: &Entry) -> Result<Tenant, Unresolved> {
    let container: ContainerName = entry.container.parse().map_err(Unresolved::Name)?;
    match entry.token {
        Some(token) => Ok(Tenant { container, token }),
        None => Err(Unresolved::Foreign { pod: pod.clone(), container }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn token(number: u128) -> Token {
        format!("{number:032x}").parse().unwrap()
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|&id| id.to_owned()).collect()
    }

    fn entry(pod: &str, container: &str, held: &[&str], number: u128) -> Entry {
        Entry {
            pod_uid: pod.to_owned(),
            container: container.to_owned(),
            ids: ids(held).into_iter().collect(),
            token: Some(token(number)),
        }
    }

    fn names(tenants: &Tenants) -> Vec<(&str, Token)> {
        tenants.containers.iter().map(|tenant| (tenant.container.as_str(), tenant.token)).collect()
    }

    #[test]
    fn a_container_is_found_by_all_of_its_devices_in_any_order() {
        let entries = [entry("p1", "main", &["a", "b"], 1), entry("p2", "main", &["c"], 2)];
        let tenants = resolve(&entries, &ids(&["b", "a"])).unwrap();
        assert_eq!((tenants.pod.as_str(), names(&tenants)), ("p1", vec![("main", token(1))]));
        assert_eq!(resolve(&entries, &ids(&["c"])).unwrap().pod.as_str(), "p2");
    }

    #[test]
    fn an_init_container_and_the_one_that_gets_its_devices_next_are_both_found() {
        let entries = [
            entry("p", "first", &["a"], 1),
            entry("p", "second", &["a"], 2),
            entry("p", "main", &["a", "b"], 3),
        ];
        let tenants = resolve(&entries, &ids(&["a"])).unwrap();
        assert_eq!(names(&tenants), [("first", token(1)), ("second", token(2))]);
        assert_eq!(names(&resolve(&entries, &ids(&["a", "b"])).unwrap()), [("main", token(3))]);
    }

    #[test]
    fn what_is_in_doubt_is_refused() {
        let entries = [
            entry("p1", "main", &["a"], 1),
            entry("p2", "main", &["a"], 2),
            entry("p3", "main", &["b", "c"], 3),
        ];
        let several = Unresolved::SeveralPods("p1".to_owned(), "p2".to_owned());
        assert_eq!(resolve(&entries, &ids(&["a"])), Err(several));
        for nobody in [&["b"][..], &["b", "c", "d"], &["d"]] {
            assert_eq!(resolve(&entries, &ids(nobody)), Err(Unresolved::Nobody(ids(nobody))));
        }
        for senseless in [&[][..], &["b", "b", "c"]] {
            assert_eq!(resolve(&entries, &ids(senseless)), Err(Unresolved::Senseless(ids(senseless))));
        }
        let shared = [entry("p", "init", &["a"], 1), entry("p", "main", &["a"], 1)];
        assert!(matches!(resolve(&shared, &ids(&["a"])), Err(Unresolved::SharedToken(_))));
    }

    #[test]
    fn devices_from_another_plugin_are_nobodys_here() {
        let entries = [Entry { token: None, ..entry("p", "main", &["a"], 1) }];
        let error = resolve(&entries, &ids(&["a"])).unwrap_err().to_string();
        assert!(
            error.starts_with("the devices of container main of pod p were allocated by another"),
            "{error}"
        );
    }

    #[test]
    fn names_that_would_lead_to_another_directory_are_refused() {
        for (pod, container) in [("../p", "main"), ("p", "../main"), ("", "main"), ("p", "")] {
            let entries = [entry(pod, container, &["a"], 1)];
            assert!(matches!(resolve(&entries, &ids(&["a"])), Err(Unresolved::Name(_))), "{pod} {container}");
        }
    }

    /// Pods that kubelet could have admitted: a container's devices are its own, or those of an earlier init container of its pod.
    fn any_node() -> impl Strategy<Value = Vec<Entry>> {
        let pod = prop::collection::vec((1_usize..4, any::<bool>()), 1..4);
        prop::collection::vec(pod, 1..12).prop_map(|pods| {
            let (mut entries, mut next) = (Vec::new(), 0);
            for (pod, containers) in pods.into_iter().enumerate() {
                let mut before: Option<BTreeSet<String>> = None;
                for (at, (count, reuses)) in containers.into_iter().enumerate() {
                    let new = (next..next + count).map(|id| format!("GPU::{id}")).collect();
                    next += count;
                    let ids = before.filter(|_| reuses).unwrap_or(new);
                    before = Some(ids.clone());
                    let number = u128::try_from(entries.len()).unwrap();
                    entries
                        .push(Entry { ids, ..entry(&format!("pod-{pod}"), &format!("c{at}"), &[], number) });
                }
            }
            entries
        })
    }

    proptest! {
        #[test]
        fn whoever_is_asked_for_is_among_those_found_and_all_of_them_hold_these_devices(entries in any_node()) {
            for asked in &entries {
                let ids: Vec<String> = asked.ids.iter().cloned().collect();
                let tenants = resolve(&entries, &ids).unwrap();
                prop_assert_eq!(tenants.pod.as_str(), &asked.pod_uid);
                prop_assert!(tenants.containers.iter().any(|tenant| Some(tenant.token) == asked.token));
                for tenant in &tenants.containers {
                    let own = entries.iter().find(|entry| entry.token == Some(tenant.token)).unwrap();
                    prop_assert_eq!(tenant.container.as_str(), &own.container);
                    prop_assert_eq!(&own.pod_uid, &asked.pod_uid);
                    prop_assert_eq!(&own.ids, &asked.ids);
                }
            }
        }
    }
}
