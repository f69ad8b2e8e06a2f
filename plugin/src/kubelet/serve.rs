//! What kubelet may ask, and what it is answered.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};
use tracing::info;

use super::calls::Calls;
use super::prepare::Prepare;
use crate::identity::token::Token;
use crate::proto::deviceplugin::device_plugin_server::DevicePlugin;
use crate::proto::deviceplugin::{
    AllocateRequest, AllocateResponse, ContainerAllocateResponse, Device, DevicePluginOptions, Empty,
    ListAndWatchResponse, PreStartContainerRequest, PreStartContainerResponse, PreferredAllocationRequest,
    PreferredAllocationResponse,
};

/// What kubelet is told that it must and may call, in each of the two places where it asks.
pub(super) const OPTIONS: DevicePluginOptions =
    DevicePluginOptions { pre_start_required: true, get_preferred_allocation_available: false };

/// The service of one resource, for as long as one socket is served.
pub(super) struct Service<P> {
    devices: watch::Receiver<Vec<Device>>,
    prepare: Arc<P>,
    /// How many streams of devices are open: kubelet holds one while it knows this plugin.
    listeners: watch::Sender<usize>,
    /// Ends, with its sender, every stream.
    open: watch::Receiver<()>,
    calls: Arc<Calls>,
}

impl<P> Service<P> {
    pub(super) fn new(
        devices: watch::Receiver<Vec<Device>>,
        prepare: Arc<P>,
        listeners: watch::Sender<usize>,
        open: watch::Receiver<()>,
        calls: Arc<Calls>,
    ) -> Self {
        Self { devices, prepare, listeners, open, calls }
    }
}

impl<P: Prepare> Service<P> {
    fn allocated(&self, ids: &[String]) -> Result<ContainerAllocateResponse, Status> {
        let token = Token::draw().map_err(|error| Status::internal(format!("no random numbers: {error}")))?;
        info!(?ids, %token, "allocated");
        Ok(self.prepare.answer(token, ids))
    }
}

#[tonic::async_trait]
impl<P: Prepare> DevicePlugin for Service<P> {
    async fn get_device_plugin_options(
        &self,
        _: Request<Empty>,
    ) -> Result<Response<DevicePluginOptions>, Status> {
        Ok(Response::new(OPTIONS))
    }

    type ListAndWatchStream = ReceiverStream<Result<ListAndWatchResponse, Status>>;

    async fn list_and_watch(&self, _: Request<Empty>) -> Result<Response<Self::ListAndWatchStream>, Status> {
        let (to_kubelet, stream) = mpsc::channel(1);
        let listening = Listening::new(self.listeners.clone());
        tokio::spawn(tell(self.devices.clone(), to_kubelet, self.open.clone(), listening));
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    async fn get_preferred_allocation(
        &self,
        _: Request<PreferredAllocationRequest>,
    ) -> Result<Response<PreferredAllocationResponse>, Status> {
        Err(Status::unimplemented(
            "any devices are as good as others: the pod's claim says which GPUs it gets",
        ))
    }

    async fn allocate(
        &self,
        request: Request<AllocateRequest>,
    ) -> Result<Response<AllocateResponse>, Status> {
        let requests = request.into_inner().container_requests;
        let answers = requests.iter().map(|request| self.allocated(&request.devices_ids));
        let answers: Result<_, _> = answers.collect();
        self.calls.count(answers.is_ok());
        Ok(Response::new(AllocateResponse { container_responses: answers? }))
    }

    async fn pre_start_container(
        &self,
        request: Request<PreStartContainerRequest>,
    ) -> Result<Response<PreStartContainerResponse>, Status> {
        let ids = request.into_inner().devices_ids;
        match self.prepare.prepare(&ids).await {
            Ok(()) => Ok(Response::new(PreStartContainerResponse {})),
            Err(reason) => Err(Status::failed_precondition(reason.to_string())),
        }
    }
}

/// Sends the devices, and again after each change, until one side has gone.
async fn tell(
    mut devices: watch::Receiver<Vec<Device>>,
    to_kubelet: mpsc::Sender<Result<ListAndWatchResponse, Status>>,
    mut open: watch::Receiver<()>,
    _listening: Listening,
) {
    loop {
        let now = devices.borrow_and_update().clone();
        if to_kubelet.send(Ok(ListAndWatchResponse { devices: now })).await.is_err() {
            return;
        }
        tokio::select! {
            changed = devices.changed() => if changed.is_err() { return },
            _ = open.changed() => return,
            () = to_kubelet.closed() => return,
        }
    }
}

/// One open stream, counted.
struct Listening(watch::Sender<usize>);

impl Listening {
    fn new(count: watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}
