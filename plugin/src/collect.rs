//! What no container needs any more goes.
//!
//! Kubelet's record is what counts. Something goes when the record has neither its token nor its pod, the API server has no such
//! pod that is still to run, no process of it has a GPU open, and all that was so the last time as well.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use contract::claim::PodUid;
use contract::paths;

use crate::claims::pod::PodFacts;
use crate::identity::token::Token;
use crate::kubelet::checkpoint::Entry;
use crate::prepare::{Books, Fault};
use crate::slice::Owner;

/// Things that nobody needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waste {
    /// CDI specs.
    pub tokens: BTreeSet<Token>,
    /// Files of containers.
    pub owners: BTreeSet<Owner>,
    /// Claims.
    pub pods: BTreeSet<PodUid>,
    /// Versions of the library.
    pub versions: BTreeSet<String>,
}

/// What there is.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// CDI specs.
    pub tokens: Vec<Token>,
    /// Files of containers, and whether a process of them has a GPU open.
    pub owners: Vec<(Owner, bool)>,
    /// Claims.
    pub pods: Vec<PodUid>,
    /// Versions of the library, but for the current one, and whether a CDI spec names it.
    pub versions: Vec<(String, bool)>,
}

/// What of `there` nobody needs, according to kubelet's `entries` and the API server's `pods`.
#[must_use]
pub fn waste(there: &Inventory, entries: &[Entry], pods: &BTreeMap<PodUid, PodFacts>) -> Waste {
    let held = |pod: &PodUid| entries.iter().any(|entry| entry.pod_uid == pod.as_str());
    let is_to_run = |pod: &PodUid| pods.get(pod).is_some_and(|pod| !pod.is_over);
    let uses = |pod: &PodUid| there.owners.iter().any(|(owner, is_in_use)| *is_in_use && owner.pod == *pod);
    let is_needed = |pod: &PodUid| held(pod) || is_to_run(pod) || uses(pod);
    let tokens =
        there.tokens.iter().filter(|token| !entries.iter().any(|entry| entry.token == Some(**token)));
    let owners = there.owners.iter().map(|(owner, _)| owner).filter(|owner| !is_needed(&owner.pod));
    let records = there.pods.iter().filter(|pod| !is_needed(pod));
    let versions = there.versions.iter().filter(|(_, is_named)| !is_named).map(|(version, _)| version);
    Waste {
        tokens: tokens.copied().collect(),
        owners: owners.cloned().collect(),
        pods: records.cloned().collect(),
        versions: versions.cloned().collect(),
    }
}

/// What names containers' devices or mounts.
fn tokens(books: &Books) -> io::Result<Vec<Token>> {
    let mut tokens = books.specs.tokens()?;
    if let Some(links) = &books.links {
        tokens.extend(links.tokens()?);
    }
    Ok(tokens)
}

fn remove(books: &Books, token: Token) -> io::Result<()> {
    books.specs.remove(token)?;
    books.links.as_ref().map_or(Ok(()), |links| links.remove(token))
}

/// The old versions of the library, and whether a container that still is, or may be started again, has them.
fn versions(books: &Books) -> io::Result<Vec<(String, bool)>> {
    let old = books.installed.old()?;
    if old.is_empty() {
        return Ok(Vec::new());
    }
    let mut named = books.specs.mounted_at(paths::CONTAINER_LIBRARY)?;
    if let Some(links) = &books.links {
        named.extend(links.libraries()?);
    }
    let is_named = |version: &String| named.contains(&books.installed.library(version));
    Ok(old.into_iter().map(|version| (version.clone(), is_named(&version))).collect())
}

/// Remembers what was waste the last time.
#[derive(Debug, Default)]
pub struct Collector {
    before: Waste,
}

impl Collector {
    /// Removes what is waste now and was so the last time.
    ///
    /// # Errors
    /// Something cannot be listed or removed: the first such thing. The rest is removed.
    pub(crate) fn collect(
        &mut self,
        books: &mut Books,
        entries: &[Entry],
        pods: &BTreeMap<PodUid, PodFacts>,
    ) -> Result<(), Fault> {
        let owners = books.slices.owners()?.into_iter();
        let versions = versions(books);
        let there = Inventory {
            tokens: tokens(books)?,
            owners: owners.map(|owner| (owner.clone(), books.slices.is_in_use(&owner))).collect(),
            pods: books.records.pods().cloned().collect(),
            versions: versions.as_ref().map_or_else(|_| Vec::new(), Vec::clone),
        };
        let now = waste(&there, entries, pods);
        let before = std::mem::replace(&mut self.before, now.clone());
        let tokens = now.tokens.intersection(&before.tokens).map(|token| remove(books, *token));
        let tokens: Vec<_> = tokens.collect();
        let owners = now.owners.intersection(&before.owners).map(|owner| books.slices.remove(owner));
        let owners: Vec<_> = owners.collect();
        let records = now.pods.intersection(&before.pods).map(|pod| books.records.forget(pod));
        let records: Vec<_> = records.collect();
        let unused = now.versions.intersection(&before.versions);
        let unused = unused.map(|version| books.installed.remove(version));
        let all: Vec<_> = tokens.into_iter().chain(owners).chain(records).chain(unused).collect();
        let count = all.len();
        all.into_iter().chain([versions.map(drop)]).collect::<Result<(), _>>()?;
        if count > 0 {
            tracing::info!(count, "what nobody needs any more is removed");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(number: u128) -> Token {
        format!("{number:032x}").parse().unwrap()
    }

    fn owner(pod: &str) -> Owner {
        Owner { pod: pod.parse().unwrap(), container: "main".parse().unwrap() }
    }

    fn entry(pod: &str, number: u128) -> Entry {
        Entry {
            pod_uid: pod.to_owned(),
            container: "main".to_owned(),
            ids: BTreeSet::new(),
            token: Some(token(number)),
        }
    }

    fn pods(all: &[(&str, bool)]) -> BTreeMap<PodUid, PodFacts> {
        let facts = |&(uid, is_over): &(&str, bool)| PodFacts {
            uid: uid.parse().unwrap(),
            namespace: String::new(),
            name: uid.to_owned(),
            annotations: BTreeMap::new(),
            is_over,
            containers: vec![],
            covered: None,
        };
        all.iter().map(facts).map(|facts| (facts.uid.clone(), facts)).collect()
    }

    fn there(pod: &str, is_in_use: bool) -> Inventory {
        Inventory {
            tokens: vec![token(1)],
            owners: vec![(owner(pod), is_in_use)],
            pods: vec![pod.parse().unwrap()],
            ..Inventory::default()
        }
    }

    fn all(pod: &str) -> Waste {
        let (owners, pods) = ([owner(pod)].into(), [pod.parse().unwrap()].into());
        Waste { tokens: [token(1)].into(), owners, pods, ..Waste::default() }
    }

    #[test]
    fn what_neither_kubelet_nor_the_api_nor_a_process_has_is_waste() {
        assert_eq!(waste(&there("p", false), &[entry("q", 2)], &pods(&[("q", false)])), all("p"));
        assert_eq!(waste(&there("p", false), &[], &pods(&[("p", true)])), all("p"));
    }

    #[test]
    fn each_of_the_three_alone_keeps_a_pods_things() {
        assert_eq!(waste(&there("p", false), &[entry("p", 1)], &pods(&[])), Waste::default());
        let only_spec = Waste { tokens: [token(1)].into(), ..Waste::default() };
        assert_eq!(waste(&there("p", false), &[], &pods(&[("p", false)])), only_spec);
        assert_eq!(waste(&there("p", true), &[], &pods(&[])), only_spec);
    }

    #[test]
    fn an_old_version_that_no_spec_names_is_waste() {
        let versions = vec![("1".to_owned(), true), ("2".to_owned(), false)];
        let there = Inventory { versions, ..Inventory::default() };
        assert_eq!(waste(&there, &[], &pods(&[])).versions, ["2".to_owned()].into());
    }

    #[test]
    fn a_token_that_kubelet_has_replaced_goes_though_its_pod_stays() {
        let got = waste(&there("p", false), &[entry("p", 2)], &pods(&[("p", false)]));
        assert_eq!(got, Waste { tokens: [token(1)].into(), ..Waste::default() });
    }
}
