//! Being known to kubelet, whatever happens to it.
//!
//! A kubelet that starts removes all sockets beside its own and knows no plugin. So both its socket and ours are looked at
//! twice a second, and when one is another file than before, or kubelet does not listen for our devices any more, everything
//! begins anew. A look is surer than a watch of the directory, which may be replaced itself.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::time::{sleep, timeout};
use tokio_stream::wrappers::UnixListenerStream;
use tonic::transport::{Endpoint, Server};
use tracing::{info, warn};

use super::calls::Calls;
use super::prepare::Prepare;
use super::serve::{OPTIONS, Service};
use super::socket::{self, Identity};
use crate::proto::deviceplugin::device_plugin_server::DevicePluginServer;
use crate::proto::deviceplugin::registration_client::RegistrationClient;
use crate::proto::deviceplugin::{Device, RegisterRequest};

/// Kubelet's socket in its directory of plugins.
pub const KUBELET_SOCKET: &str = "kubelet.sock";

/// The version of the protocol.
const VERSION: &str = "v1beta1";

/// Between two looks at the sockets, and between two attempts.
const PAUSE: Duration = Duration::from_millis(500);

/// Within this, kubelet has called back and answered.
const REGISTER_WITHIN: Duration = Duration::from_secs(15);

/// Within this, a kubelet that has answered listens for devices.
const LISTEN_WITHIN: Duration = Duration::from_secs(10);

/// A domain may be longer than the path of a socket, which has 107 bytes; the end of a resource's name tells it from others.
const NAME_MAX: usize = 64;

/// The name of the socket at which `resource` is served.
#[must_use]
pub fn socket_name(resource: &str) -> String {
    let name = resource.replace('/', "_");
    let end = name.get(name.len().saturating_sub(NAME_MAX)..).unwrap_or(&name);
    format!("{}.sock", end.trim_start_matches(['.', '-']))
}

/// One resource that is served to kubelet.
pub struct Plugin<P> {
    resource: String,
    directory: PathBuf,
    devices: watch::Receiver<Vec<Device>>,
    prepare: Arc<P>,
    known: watch::Sender<bool>,
    calls: Arc<Calls>,
}

/// Why kubelet has to be told again.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error("cannot listen at {}: {error}", .path.display())]
    Listen { path: PathBuf, error: io::Error },
    #[error("kubelet does not answer at {}: {error}", .path.display())]
    NoKubelet { path: PathBuf, error: tonic::transport::Error },
    #[error("kubelet refuses the registration: {}", .0.message())]
    Refused(Box<tonic::Status>),
    #[error("kubelet has not answered the registration in {} s", REGISTER_WITHIN.as_secs())]
    Silent,
    #[error("kubelet does not listen for devices")]
    Deaf,
    #[error("kubelet has been started anew")]
    NewKubelet,
    #[error("the socket has been removed")]
    SocketGone,
}

impl<P: Prepare> Plugin<P> {
    /// Will serve `resource` beside the kubelet whose directory of plugins is `directory`.
    pub fn new(
        resource: String,
        directory: PathBuf,
        devices: watch::Receiver<Vec<Device>>,
        prepare: Arc<P>,
    ) -> Self {
        Self {
            resource,
            directory,
            devices,
            prepare,
            known: watch::Sender::new(false),
            calls: Arc::default(),
        }
    }

    /// How often kubelet had devices allocated.
    pub fn calls(&self) -> Arc<Calls> {
        Arc::clone(&self.calls)
    }

    /// Whether kubelet knows this plugin now and listens for its devices.
    pub fn known(&self) -> watch::Receiver<bool> {
        self.known.subscribe()
    }

    /// Serves, and registers whenever that is needed, for ever.
    pub async fn run(&self) -> Infallible {
        let mut said = String::new();
        loop {
            let Err(ended) = self.session().await;
            self.known.send_replace(false);
            let reason = ended.to_string();
            if reason != said {
                warn!(resource = self.resource, %reason, "not registered, trying again");
                said = reason;
            }
            sleep(PAUSE).await;
        }
    }

    /// Registers, and returns when that has failed or does not hold any more.
    async fn session(&self) -> Result<Infallible, Ended> {
        let path = self.directory.join(self.socket_name());
        let kubelet = self.directory.join(KUBELET_SOCKET);
        let listeners = watch::Sender::new(0);
        let _serving = self.serve(&path, listeners.clone())?;
        let files = [(&kubelet, Identity::of(&kubelet)), (&path, Identity::of(&path))];
        self.register(&kubelet).await?;
        let mut listeners = listeners.subscribe();
        let heard = timeout(LISTEN_WITHIN, listeners.wait_for(|count| *count > 0)).await;
        heard.map_err(|_| Ended::Deaf)?.map_err(|_| Ended::Deaf)?;
        info!(resource = self.resource, "registered with kubelet");
        self.known.send_replace(true);
        tokio::select! {
            ended = replaced(files) => Err(ended),
            _ = listeners.wait_for(|count| *count == 0) => Err(Ended::Deaf),
        }
    }

    /// The name of our socket's file: the resource's, with `_` where a file cannot have `/`.
    fn socket_name(&self) -> String {
        socket_name(&self.resource)
    }

    fn serve(&self, path: &Path, listeners: watch::Sender<usize>) -> Result<Serving, Ended> {
        let error = |error| Ended::Listen { path: path.to_owned(), error };
        let incoming = UnixListenerStream::new(socket::listen(path).map_err(error)?);
        let (streams, open) = watch::channel(());
        let (stop, stopped) = oneshot::channel::<()>();
        let service =
            Service::new(self.devices.clone(), Arc::clone(&self.prepare), listeners, open, self.calls());
        let server = Server::builder().add_service(DevicePluginServer::new(service));
        tokio::spawn(async move {
            let until = async { drop(stopped.await) };
            if let Err(error) = server.serve_with_incoming_shutdown(incoming, until).await {
                warn!(%error, "the service for kubelet has failed");
            }
        });
        Ok(Serving { _streams: streams, _stop: stop })
    }

    async fn register(&self, kubelet: &Path) -> Result<(), Ended> {
        let error = |error| Ended::NoKubelet { path: kubelet.to_owned(), error };
        let endpoint = Endpoint::from_shared(format!("unix://{}", kubelet.display())).map_err(error)?;
        let request = RegisterRequest {
            version: VERSION.to_owned(),
            endpoint: self.socket_name(),
            resource_name: self.resource.clone(),
            options: Some(OPTIONS),
        };
        let registering = async {
            let channel = endpoint.connect().await.map_err(error)?;
            let answer = RegistrationClient::new(channel).register(request).await;
            answer.map(drop).map_err(|status| Ended::Refused(Box::new(status)))
        };
        timeout(REGISTER_WITHIN, registering).await.unwrap_or(Err(Ended::Silent))
    }
}

/// Ends, when it is dropped, what is served.
struct Serving {
    _streams: watch::Sender<()>,
    _stop: oneshot::Sender<()>,
}

/// Waits until kubelet's socket is another one, or ours is gone. A kubelet that is only away comes back as another one.
async fn replaced([(kubelet, of_kubelet), (path, own)]: [(&PathBuf, Option<Identity>); 2]) -> Ended {
    loop {
        sleep(PAUSE).await;
        let now = Identity::of(kubelet);
        if now.is_some() && now != of_kubelet {
            return Ended::NewKubelet;
        }
        if Identity::of(path) != own {
            return Ended::SocketGone;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_in_kubelets_directory_has_a_path_that_sockets_may_have_however_long_the_domain_is() {
        assert_eq!(socket_name("nvidia.com/vgpu-number"), "nvidia.com_vgpu-number.sock");
        let long = socket_name(&format!("{}/vgpu-number", ["x".repeat(49), "y".repeat(51)].join(".-")));
        assert!(long.ends_with("_vgpu-number.sock") && long.starts_with('y'), "{long}");
        assert!("/var/lib/kubelet/device-plugins/".len() + long.len() <= 107);
    }
}
