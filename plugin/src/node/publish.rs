//! Writing on this node's Node: the only place where this is done.

use std::convert::Infallible;
use std::time::Duration;

use contract::resources::Domain;
use k8s_openapi::api::core::v1::Node;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client};
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::{info, warn};

use super::desired::Desired;
use super::view::View;
use crate::settings::gates::Gates;

/// Between two attempts.
const PAUSE: Duration = Duration::from_secs(5);

/// Who writes, as the API server records it.
const WRITER: &str = "vgpu-node-agent";

/// What is written, where, and how it is named there.
pub struct Publisher {
    /// A way to the API server.
    pub client: Client,
    /// The node's name.
    pub node: String,
    /// The domain of annotations, labels and resources.
    pub domain: Domain,
    /// Which resources are wanted.
    pub gates: Gates,
}

impl Publisher {
    /// Keeps on the Node what `view` says, for ever, and writes only when the Node says something else.
    pub async fn run(
        &self,
        mut own: watch::Receiver<Option<Node>>,
        mut view: watch::Receiver<View>,
    ) -> Infallible {
        let mut said = String::new();
        loop {
            match self.write(&own.borrow_and_update().clone(), &view.borrow_and_update().clone()).await {
                Ok(()) => said.clear(),
                Err(error) => {
                    let error = error.to_string();
                    if error != said {
                        warn!(error, "what the scheduler needs to know cannot be written; trying again");
                        said = error;
                    }
                    sleep(PAUSE).await;
                    continue;
                }
            }
            // What sends to either channel lives as long as the agent.
            tokio::select! { _ = own.changed() => {}, _ = view.changed() => {} }
        }
    }

    async fn write(&self, own: &Option<Node>, view: &View) -> Result<(), kube::Error> {
        // Before the driver has answered once, what an earlier agent has written is nearer to the truth.
        let (Some(own), true) = (own, view.is_known()) else { return Ok(()) };
        let desired = Desired::new(view, &self.domain, &self.gates);
        let nodes = Api::<Node>::all(self.client.clone());
        let parameters = PatchParams { field_manager: Some(WRITER.to_owned()), ..PatchParams::default() };
        if let Some(patch) = desired.metadata_patch(own) {
            nodes.patch(&self.node, &parameters, &Patch::Merge(patch)).await?;
            info!("registered for the scheduler");
        }
        if let Some(patch) = desired.status_patch(own) {
            nodes.patch_status(&self.node, &parameters, &Patch::Merge(patch)).await?;
            info!("resources of the node are written");
        }
        Ok(())
    }
}
