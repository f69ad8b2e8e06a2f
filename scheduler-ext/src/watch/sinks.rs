//! What becomes of pods and nodes of which the API server tells.

use std::time::Instant;

use contract::claim::PodUid;
use kube::ResourceExt;

use crate::api::{Node, Pod};
use crate::ledger::{Ledger, Mark, NodeFacts, PodWord, Setback, SharedLedger};
use crate::request::Reader;

/// What objects of one kind are told to. Reading is done before the ledger is locked.
pub(super) trait Sink {
    /// The kind.
    type Object;
    /// What matters of one.
    type Word;
    /// What they are called in the log.
    const NAME: &'static str;

    /// What matters of `object`, if anything does.
    fn read(&self, object: &Self::Object) -> Option<Self::Word>;
    /// This moment.
    fn mark(&self) -> Mark;
    /// This is so now.
    fn put(&self, word: Self::Word);
    /// It is gone.
    fn remove(&self, object: &Self::Object);
    /// These are all, by a list that was asked for at `since`.
    fn replace(&self, all: Vec<Self::Word>, since: Mark);
}

/// Pods.
pub(super) struct Pods {
    ledger: SharedLedger,
    reader: Reader,
}

impl Pods {
    pub(super) fn new(ledger: &SharedLedger) -> Self {
        Self { ledger: ledger.clone(), reader: ledger.read().reader().clone() }
    }
}

/// What matters of a pod.
pub(super) struct PodNews {
    word: Option<PodWord>,
    setback: Option<Setback>,
}

impl Sink for Pods {
    type Object = Pod;
    type Word = PodNews;
    const NAME: &'static str = "pods";

    fn read(&self, pod: &Pod) -> Option<PodNews> {
        let (word, setback) = (PodWord::read(pod, &self.reader), Setback::of(pod, &self.reader));
        (word.is_some() || setback.is_some()).then_some(PodNews { word, setback })
    }

    fn mark(&self) -> Mark {
        self.ledger.read().mark()
    }

    fn put(&self, news: PodNews) {
        let mut ledger = self.ledger.write();
        if let Some(word) = news.word {
            ledger.put_pod(word);
        }
        if let Some(setback) = news.setback {
            ledger.note_setback(setback, Instant::now());
        }
    }

    fn remove(&self, pod: &Pod) {
        let uid = pod.metadata.uid.as_deref().and_then(|uid| uid.parse::<PodUid>().ok());
        if let Some(uid) = uid.filter(|_| self.reader.concerns(pod)) {
            self.ledger.write().forget_pod(&uid);
        }
    }

    fn replace(&self, all: Vec<PodNews>, since: Mark) {
        // A list does not say when pods have failed: it may be long ago.
        let words = all.into_iter().filter_map(|news| news.word).collect();
        self.ledger.write().replace_pods(words, since);
    }
}

/// Nodes.
pub(super) struct Nodes {
    ledger: SharedLedger,
    /// Reads as the ledger does.
    like: Ledger,
}

impl Nodes {
    pub(super) fn new(ledger: &SharedLedger) -> Self {
        Self { ledger: ledger.clone(), like: ledger.read().empty() }
    }
}

impl Sink for Nodes {
    type Object = Node;
    type Word = NodeFacts;
    const NAME: &'static str = "nodes";

    fn read(&self, node: &Node) -> Option<NodeFacts> {
        self.like.read_node(node)
    }

    fn mark(&self) -> Mark {
        self.ledger.read().mark()
    }

    fn put(&self, facts: NodeFacts) {
        self.ledger.write().put_node(facts);
    }

    fn remove(&self, node: &Node) {
        self.ledger.write().forget_node(&node.name_any());
    }

    fn replace(&self, all: Vec<NodeFacts>, _: Mark) {
        self.ledger.write().replace_nodes(all);
    }
}
