//! What the API server tells.

use std::collections::BTreeSet;
use std::time::Instant;

use contract::claim::PodUid;

use super::holding::{Holding, State};
use super::node::NodeFacts;
use super::pod::PodWord;
use super::setbacks::Setback;
use super::{Ledger, Mark, Touched};
use crate::api::{Node, Pod};

impl Ledger {
    /// Takes note of a node that the API server tells of.
    pub fn note_node(&mut self, node: &Node) {
        if let Some(facts) = self.read_node(node) {
            self.put_node(facts);
        }
    }

    /// The same, read already.
    pub fn put_node(&mut self, facts: NodeFacts) {
        let name = facts.name.clone();
        self.nodes.entry(name.clone()).or_default().facts = Some(facts);
        self.refresh(&name);
    }

    /// The node is gone. Pods that are there hold what they have until they are gone themselves.
    pub fn forget_node(&mut self, name: &str) {
        if let Some(entry) = self.nodes.get_mut(name) {
            entry.facts = None;
            self.refresh(name);
        }
    }

    /// Takes note of a pod that the API server tells of.
    pub fn note_pod(&mut self, pod: &Pod) {
        if let Some(word) = PodWord::read(pod, &self.reader) {
            self.put_pod(word);
        }
    }

    /// The same, read already. The first claim with which a pod is known to be bound counts, so that nobody lessens it later on.
    pub fn put_pod(&mut self, word: PodWord) {
        self.change(|ledger, touched| ledger.hear(word, touched));
    }

    fn hear(&mut self, word: PodWord, touched: &mut Touched) {
        let told = match word {
            PodWord::Over(uid) => return self.end(&uid, touched),
            PodWord::Nominated(nominated) => return self.nominations.put(*nominated),
            PodWord::Waits(uid) => return self.nominations.remove(&uid),
            PodWord::Holds(told) => told,
        };
        self.nominations.remove(told.uid());
        let now = self.tick();
        if let Some((known, changed)) = self.pods.get_mut(told.uid())
            && known.node == told.node
            && known.claim().is_ok()
            && (known.state >= State::Confirmed || known.claim() == told.claim())
        {
            known.facts = told.facts;
            known.state = State::Bound;
            *changed = now;
        } else {
            self.put(*told, touched);
        }
    }

    /// The pod is gone.
    pub fn forget_pod(&mut self, uid: &PodUid) {
        self.change(|ledger, touched| ledger.end(uid, touched));
    }

    fn end(&mut self, uid: &PodUid, touched: &mut Touched) {
        self.nominations.remove(uid);
        self.take(uid, touched);
    }

    /// Remembers that a pod could not start on its node.
    pub fn note_setback(&mut self, setback: Setback, now: Instant) {
        self.setbacks.note(setback, now);
    }

    /// These are all nodes that there are.
    pub fn replace_nodes(&mut self, all: Vec<NodeFacts>) {
        let listed: BTreeSet<&str> = all.iter().map(|facts| facts.name.as_str()).collect();
        let gone = self.nodes.keys().filter(|name| !listed.contains(name.as_str()));
        let gone: Vec<String> = gone.cloned().collect();
        gone.iter().for_each(|name| self.forget_node(name));
        all.into_iter().for_each(|facts| self.put_node(facts));
    }

    /// These are all pods of which anything [matters](PodWord), in a list that was asked for at `since` and shows all that was
    /// bound before then. What has been reserved and not settled stays, and so does what was confirmed later.
    pub fn replace_pods(&mut self, all: Vec<PodWord>, since: Mark) {
        let listed: BTreeSet<&PodUid> = all.iter().filter_map(PodWord::bound).collect();
        let is_gone = |(uid, (holding, changed)): &(&PodUid, &(Holding, u64))| {
            let may_be_newer = match holding.state {
                State::Assumed => true,
                State::Confirmed => *changed > since.0,
                State::Bound => false,
            };
            !may_be_newer && !listed.contains(uid)
        };
        let gone: Vec<PodUid> = self.pods.iter().filter(is_gone).map(|(uid, _)| uid.clone()).collect();
        self.change(|ledger, touched| {
            gone.iter().for_each(|uid| ledger.take(uid, touched));
            ledger.nominations.clear();
            all.into_iter().for_each(|word| ledger.hear(word, touched));
        });
    }
}
