//! Kubelet's registration service.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use plugin::kubelet::register::KUBELET_SOCKET;
use plugin::proto::deviceplugin::registration_server::{Registration, RegistrationServer};
use plugin::proto::deviceplugin::{Empty, RegisterRequest};
use tokio::net::UnixListener;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

use super::client::Registered;

/// Takes registrations until it is dropped.
pub(crate) struct Registry {
    registered: mpsc::Receiver<Registered>,
    serving: AbortHandle,
}

impl Registry {
    /// Removes every socket in the directory and listens, as a kubelet that starts.
    pub(crate) fn start(directory: &Path) -> Self {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_socket() {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        let listener = UnixListener::bind(directory.join(KUBELET_SOCKET)).unwrap();
        let (into, registered) = mpsc::channel(8);
        let service = RegistrationServer::new(Service { directory: directory.to_owned(), into });
        let incoming = UnixListenerStream::new(listener);
        let serving = tokio::spawn(Server::builder().add_service(service).serve_with_incoming(incoming));
        Self { registered, serving: serving.abort_handle() }
    }

    /// Waits for the next plugin, which must be of `resource`.
    pub(crate) async fn registered(&mut self, resource: &str) -> Registered {
        let plugin = super::soon("registration", self.registered.recv()).await.expect("a registry");
        assert_eq!(plugin.resource, resource);
        plugin
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

struct Service {
    directory: PathBuf,
    into: mpsc::Sender<Registered>,
}

#[tonic::async_trait]
impl Registration for Service {
    async fn register(&self, request: Request<RegisterRequest>) -> Result<Response<Empty>, Status> {
        let request = request.into_inner();
        if request.version != "v1beta1" {
            return Err(Status::invalid_argument("unsupported version"));
        }
        let plugin = Registered::connect(&self.directory, request).await?;
        self.into.send(plugin).await.map_err(|_| Status::unavailable("gone"))?;
        Ok(Response::new(Empty {}))
    }
}
