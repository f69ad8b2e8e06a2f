//! Binds that go on, one for each pod.

use std::collections::HashMap;
use std::sync::Arc;

use contract::claim::PodUid;
use tokio::sync::watch;

use super::error::BindError;
use super::target::Target;

/// What becomes of a bind; none yet.
type Outcome = Option<Result<(), BindError>>;

/// A bind that goes on.
#[derive(Debug)]
struct Flight {
    node: String,
    outcome: watch::Receiver<Outcome>,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Flights(Arc<watch::Sender<HashMap<PodUid, Flight>>>);

impl Flights {
    /// Joins the bind of this pod that goes on, or begins one: `work` is done to its end, whoever waits for it.
    pub(super) fn join<F>(
        &self,
        target: &Target,
        work: impl FnOnce(Target) -> F,
    ) -> Result<watch::Receiver<Outcome>, BindError>
    where
        F: Future<Output = Result<(), BindError>> + Send + 'static,
    {
        let mut joined = Err(BindError::Internal);
        let mut begun = None;
        self.0.send_modify(|flights| match flights.get(&target.pod.uid) {
            Some(flight) if flight.node == target.node => joined = Ok(flight.outcome.clone()),
            Some(flight) => joined = Err(BindError::Elsewhere(flight.node.clone())),
            None => {
                let (tell, outcome) = watch::channel(None);
                let flight = Flight { node: target.node.clone(), outcome: outcome.clone() };
                flights.insert(target.pod.uid.clone(), flight);
                begun = Some(tell);
                joined = Ok(outcome);
            }
        });
        if let Some(tell) = begun {
            let end = End { flights: self.clone(), uid: target.pod.uid.clone() };
            let work = work(target.clone());
            tokio::spawn(async move {
                let _end = end;
                tell.send_replace(Some(work.await));
            });
        }
        joined
    }

    /// Waits until there are none.
    pub(super) async fn landed(&self) {
        // Fails only when nobody can begin any more.
        let _ = self.0.subscribe().wait_for(HashMap::is_empty).await;
    }
}

/// Takes a bind away when it ends, however it does.
struct End {
    flights: Flights,
    uid: PodUid,
}

impl Drop for End {
    fn drop(&mut self) {
        self.flights.0.send_modify(|flights| drop(flights.remove(&self.uid)));
    }
}
