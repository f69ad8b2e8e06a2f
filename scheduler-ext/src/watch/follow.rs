//! Following objects of one kind.

use std::convert::Infallible;
use std::fmt::Debug;
use std::time::Duration;

use futures_util::StreamExt;
use k8s_openapi::serde::de::DeserializeOwned;
use kube::runtime::utils::Backoff;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, Resource};

use super::rounds::Rounds;
use super::sinks::Sink;
use crate::ledger::Mark;

/// After so many seconds a watch is begun anew, from where it was: one whose connection has died without a word is known to be
/// dead five seconds later.
const WATCH: u32 = 60;

/// Tells `sink` of all objects of its kind, for ever. A list is told when it is whole.
pub(super) async fn follow<S: Sink>(client: Client, sink: &S, rounds: &Rounds) -> Infallible
where
    S::Object: Resource<DynamicType: Default> + Clone + DeserializeOwned + Debug + Send + 'static,
{
    loop {
        let round = rounds.wanted();
        let config = watcher::Config::default().timeout(WATCH);
        let events = watcher(Api::<S::Object>::all(client.clone()), config).backoff(Pauses::default());
        let mut events = std::pin::pin!(events);
        let mut list = List { words: Vec::new(), since: sink.mark() };
        let newer = rounds.newer(round);
        let mut newer = std::pin::pin!(newer);
        loop {
            let event = tokio::select! {
                biased;
                () = &mut newer => break,
                Some(event) = events.next() => event,
            };
            match event {
                Ok(event) => {
                    if matches!(event, watcher::Event::Init) {
                        rounds.begin();
                    }
                    if list.note(event, sink) {
                        rounds.finish(round);
                    }
                }
                Err(error) => {
                    rounds.fail();
                    tracing::warn!(%error, "{} not to be had; trying again", S::NAME);
                }
            }
        }
    }
}

/// A list that is being read.
struct List<W> {
    words: Vec<W>,
    since: Mark,
}

impl<W> List<W> {
    /// Takes note of an event; says whether a list is whole now.
    fn note<S: Sink<Word = W>>(&mut self, event: watcher::Event<S::Object>, sink: &S) -> bool {
        match event {
            // Comes before the list is asked for.
            watcher::Event::Init => *self = Self { words: Vec::new(), since: sink.mark() },
            watcher::Event::InitApply(object) => self.words.extend(sink.read(&object)),
            watcher::Event::InitDone => {
                sink.replace(std::mem::take(&mut self.words), self.since);
                return true;
            }
            watcher::Event::Apply(object) => {
                if let Some(word) = sink.read(&object) {
                    sink.put(word);
                }
            }
            watcher::Event::Delete(object) => sink.remove(&object),
        }
        false
    }
}

/// How long it waits after a failure. Pods wait for nodes meanwhile, so it is less than what is usual.
#[derive(Default)]
struct Pauses {
    failures: u32,
}

impl Iterator for Pauses {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let pause = Duration::from_millis(250 << self.failures);
        self.failures = (self.failures + 1).min(4);
        Some(pause)
    }
}

impl Backoff for Pauses {
    fn reset(&mut self) {
        self.failures = 0;
    }
}
