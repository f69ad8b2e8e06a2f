//! Kubelet's other record of devices, which is asked only to see that both say the same.
//!
//! It decides nothing: it leaves plain init containers out, older kubelets list pods that have ended, whose devices are
//! somebody else's by then, and it has no tokens.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use tokio::time::timeout;
use tonic::transport::Endpoint;

use crate::proto::podresources::pod_resources_lister_client::PodResourcesListerClient;
use crate::proto::podresources::{ListPodResourcesRequest, ListPodResourcesResponse};

/// Within this, kubelet answers.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// Asks at `socket` who has which devices.
///
/// # Errors
/// Kubelet does not say: one line.
pub async fn list(socket: &Path) -> Result<ListPodResourcesResponse, String> {
    let asking = async {
        let endpoint = Endpoint::from_shared(format!("unix://{}", socket.display()));
        let channel = endpoint.map_err(|error| error.to_string())?.connect().await;
        let mut client = PodResourcesListerClient::new(channel.map_err(|error| error.to_string())?);
        let answer = client.list(ListPodResourcesRequest {}).await;
        answer.map(tonic::Response::into_inner).map_err(|status| status.message().to_owned())
    };
    timeout(ANSWER_WITHIN, asking).await.unwrap_or_else(|_| Err("it does not answer".to_owned()))
}

/// Those in `list` that have exactly the devices `ids` of `resource` and are none of `containers` of the pod `name` in `namespace`.
#[must_use]
pub fn contradictions(
    list: &ListPodResourcesResponse,
    resource: &str,
    ids: &[String],
    (namespace, name): (&str, &str),
    containers: &[&str],
) -> Vec<String> {
    let wanted: BTreeSet<&String> = ids.iter().collect();
    let mut others = Vec::new();
    for pod in &list.pod_resources {
        let is_ours = pod.namespace == namespace && pod.name == name;
        for container in &pod.containers {
            // One for each NUMA node.
            let own = container.devices.iter().filter(|devices| devices.resource_name == resource);
            let held: BTreeSet<&String> = own.flat_map(|devices| &devices.device_ids).collect();
            if held == wanted && !(is_ours && containers.contains(&container.name.as_str())) {
                others.push(format!("{}/{} {}", pod.namespace, pod.name, container.name));
            }
        }
    }
    others
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::podresources::{ContainerDevices, ContainerResources, PodResources};

    const RESOURCE: &str = "nvidia.com/vgpu-number";

    fn pod(name: &str, container: &str, ids: &[&[&str]]) -> PodResources {
        let devices = ids.iter().map(|ids| ContainerDevices {
            resource_name: RESOURCE.to_owned(),
            device_ids: ids.iter().map(|&id| id.to_owned()).collect(),
        });
        let container = ContainerResources { name: container.to_owned(), devices: devices.collect() };
        PodResources { name: name.to_owned(), namespace: "team".to_owned(), containers: vec![container] }
    }

    #[test]
    fn only_another_holder_of_exactly_these_devices_contradicts() {
        let pod_resources = vec![
            pod("p", "main", &[&["a"], &["b"]]),
            pod("q", "main", &[&["a", "b"]]),
            pod("r", "main", &[&["a"]]),
            pod("s", "main", &[]),
        ];
        let list = ListPodResourcesResponse { pod_resources };
        let ids = ["b".to_owned(), "a".to_owned()];
        let found = |containers: &[&str]| contradictions(&list, RESOURCE, &ids, ("team", "p"), containers);
        assert_eq!(found(&["init", "main"]), ["team/q main"]);
        assert_eq!(found(&["init"]), ["team/p main", "team/q main"]);
        assert_eq!(contradictions(&list, "other.org/thing", &ids, ("team", "p"), &[]), [""; 0]);
    }
}
