//! Kubelet's side of a registered plugin.

use std::path::Path;

use plugin::kubelet::devices::HEALTHY;
use plugin::proto::deviceplugin::device_plugin_client::DevicePluginClient;
use plugin::proto::deviceplugin::{
    AllocateRequest, ContainerAllocateRequest, ContainerAllocateResponse, Device, DevicePluginOptions, Empty,
    PreStartContainerRequest, RegisterRequest,
};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tonic::Status;
use tonic::transport::{Channel, Endpoint};

/// A plugin that kubelet knows and listens to.
pub(crate) struct Registered {
    pub(crate) resource: String,
    /// The options in its request, and those that it answers when it is asked.
    pub(crate) options: [Option<DevicePluginOptions>; 2],
    /// The latest list of devices.
    pub(crate) devices: watch::Receiver<Vec<Device>>,
    client: DevicePluginClient<Channel>,
    listening: AbortHandle,
}

impl Registered {
    /// Calls the plugin back, as kubelet does before it answers the registration.
    pub(super) async fn connect(directory: &Path, request: RegisterRequest) -> Result<Self, Status> {
        let socket = directory.join(&request.endpoint);
        let endpoint = Endpoint::from_shared(format!("unix://{}", socket.display())).unwrap();
        let channel = endpoint.connect().await.map_err(|error| Status::unavailable(error.to_string()))?;
        let mut client = DevicePluginClient::new(channel);
        let asked = client.get_device_plugin_options(Empty {}).await?.into_inner();
        let mut stream = client.list_and_watch(Empty {}).await?.into_inner();
        let (latest, devices) = watch::channel(Vec::new());
        let listening = tokio::spawn(async move {
            while let Ok(Some(list)) = stream.message().await {
                latest.send_replace(list.devices);
            }
        });
        Ok(Self {
            resource: request.resource_name,
            options: [request.options, Some(asked)],
            devices,
            client,
            listening: listening.abort_handle(),
        })
    }

    /// The ids that may be given out.
    pub(super) fn healthy(&self) -> Vec<String> {
        let devices = self.devices.borrow();
        devices.iter().filter(|device| device.health == HEALTHY).map(|device| device.id.clone()).collect()
    }

    /// `Allocate` for one container.
    pub(crate) async fn allocate(&self, ids: &[String]) -> Result<ContainerAllocateResponse, Status> {
        let container_requests = vec![ContainerAllocateRequest { devices_ids: ids.to_vec() }];
        let answer = self.client.clone().allocate(AllocateRequest { container_requests }).await?;
        let [answer] = <[_; 1]>::try_from(answer.into_inner().container_responses).expect("one answer");
        Ok(answer)
    }

    /// `PreStartContainer`.
    pub(crate) async fn pre_start(&self, ids: &[String]) -> Result<(), Status> {
        let request = PreStartContainerRequest { devices_ids: ids.to_vec() };
        self.client.clone().pre_start_container(request).await.map(drop)
    }

    /// Waits for a list of devices that is as wanted.
    pub(crate) async fn until(
        &mut self,
        what: &str,
        wanted: impl FnMut(&Vec<Device>) -> bool,
    ) -> Vec<Device> {
        super::soon(what, self.devices.wait_for(wanted)).await.expect("a plugin that lives").clone()
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.listening.abort();
    }
}
