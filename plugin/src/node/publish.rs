//! Writing on this node's Node: the only place where this is done.

use std::convert::Infallible;
use std::time::Duration;

use contract::resources::{Domain, ResourceNames};
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

/// After what was written, before anything is again: somebody else who wants it otherwise writes as often.
const REST: Duration = Duration::from_secs(1);

/// Who writes, as the API server records it.
const WRITER: &str = "vgpu-node-agent";

/// What is written, where, and how it is named there.
pub struct Publisher {
    /// A way to the API server.
    pub client: Client,
    /// The node's name.
    pub node: String,
    /// The domain of annotations and labels.
    pub domain: Domain,
    /// How resources are called.
    pub names: ResourceNames,
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
            // Copies, and none of the channels' guards: with one held while the API server answers, whoever sends would block
            // this thread, which is the only one.
            let (node, seen) = (own.borrow_and_update().clone(), view.borrow_and_update().clone());
            match self.write(node.as_ref(), &seen).await {
                Ok(has_written) => {
                    said.clear();
                    if has_written {
                        sleep(REST).await;
                    }
                }
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

    /// Whether anything had to be written.
    async fn write(&self, own: Option<&Node>, view: &View) -> Result<bool, kube::Error> {
        // Before the driver has answered once, what an earlier agent has written is nearer to the truth.
        let (Some(own), true) = (own, view.is_known()) else { return Ok(false) };
        let mut has_written = false;
        let desired = Desired::new(view, &self.domain, &self.names, &self.gates);
        let nodes = Api::<Node>::all(self.client.clone());
        let parameters = PatchParams { field_manager: Some(WRITER.to_owned()), ..PatchParams::default() };
        if let Some(patch) = desired.metadata_patch(own) {
            nodes.patch(&self.node, &parameters, &Patch::Merge(patch)).await?;
            info!("registered for the scheduler");
            has_written = true;
        }
        if let Some(patch) = desired.status_patch(own) {
            nodes.patch_status(&self.node, &parameters, &Patch::Merge(patch)).await?;
            info!("resources of the node are written");
            has_written = true;
        }
        Ok(has_written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::Driver;
    use crate::inventory::census::Census;
    use crate::settings::node::NodeSettings;
    use contract::resources::NameStyle;
    use http::{Request, Response};
    use kube::client::Body;
    use serde_json::{Value, json};
    use std::sync::mpsc;

    /// The API server's answer to a patch of `node`. Whoever watches is told before it comes.
    async fn patched(request: Request<Body>, told: &watch::Sender<Option<Node>>) -> Response<Body> {
        let patch = request.into_body().collect_bytes().await.unwrap();
        let mut node = serde_json::to_value(&*told.borrow()).unwrap();
        json_patch::merge(&mut node, &serde_json::from_slice(&patch).unwrap());
        told.send_replace(serde_json::from_value(node.clone()).unwrap());
        Response::new(Body::from(node.to_string().into_bytes()))
    }

    fn node(text: Value) -> Option<Node> {
        serde_json::from_value(text).unwrap()
    }

    /// Publishes to such a server, and sends the path of each patch.
    fn publish(paths: mpsc::Sender<String>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (told, own) =
                watch::channel(node(json!({"metadata": {"name": "n"}, "status": {"capacity": {}}})));
            let driver = Driver { version: "550.163.01".to_owned(), cuda: (12, 4) };
            let census = Census { driver, ..Census::default() };
            let (_view, view) = watch::channel(View::new(&census, &NodeSettings::default()));
            let told_to_service = told.clone();
            let service = tower::service_fn(move |request: Request<Body>| {
                let (paths, told) = (paths.clone(), told_to_service.clone());
                async move {
                    let path = request.uri().path().to_owned();
                    let answer = patched(request, &told).await;
                    // Nobody listens any more when the test is over.
                    let _ = paths.send(path);
                    Ok::<_, std::io::Error>(answer)
                }
            });
            let publisher = Publisher {
                client: Client::new(service, "default"),
                node: "n".to_owned(),
                domain: Domain::default(),
                names: Domain::default().resources(NameStyle::Vgpu),
                gates: "CorePlugin=true".parse().unwrap(),
            };
            let taken_away = async {
                sleep(Duration::from_millis(300)).await;
                told.send_modify(|node| {
                    let status = node.as_mut().and_then(|node| node.status.as_mut()).unwrap();
                    status.capacity.as_mut().unwrap().clear();
                });
                std::future::pending::<()>().await;
            };
            tokio::select! { never = publisher.run(own, view) => match never {}, () = taken_away => {} }
        });
    }

    #[test]
    fn the_agent_stood_still_when_the_node_changed_while_it_was_written() {
        let (paths, written) = mpsc::channel();
        std::thread::spawn(move || publish(paths));
        let next = || written.recv_timeout(Duration::from_secs(60)).expect("it has stood still");
        assert_eq!(next(), "/api/v1/nodes/n");
        assert_eq!(next(), "/api/v1/nodes/n/status");
        // What is lost is written again, and nothing else is.
        assert_eq!(next(), "/api/v1/nodes/n/status");
        assert!(written.recv_timeout(Duration::from_millis(300)).is_err(), "it writes what is there");
    }
}
