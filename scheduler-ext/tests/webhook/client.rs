//! An API server's side of TLS: it knows an authority and the Service's name, and speaks HTTP/1.1.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use scheduler_ext::admission::certificates::served::Served;
use scheduler_ext::admission::meters::Meters;
use scheduler_ext::admission::{Rules, http};
use scheduler_ext::request::Reader;
use scheduler_ext::serve::tls;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::time_provider::TimeProvider;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// The name under which it looks for the webhook.
pub(crate) const NAME: &str = "webhook.vgpu-system.svc";

#[derive(Debug)]
struct At(Duration);

impl TimeProvider for At {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(self.0))
    }
}

pub(crate) fn rules() -> Rules {
    Rules {
        reader: Reader::new("nvidia.com".parse().unwrap(), contract::resources::NameStyle::Vgpu),
        scheduler_name: "vgpu-scheduler".to_owned(),
        claim_writers: Vec::new(),
        ledger: None,
    }
}

/// Serves the webhook with what is served, and says where.
pub(crate) async fn webhook(served: &Arc<Served>) -> SocketAddr {
    counted(served, &Meters::default()).await
}

/// And counts what is asked.
pub(crate) async fn counted(served: &Arc<Served>, meters: &Meters) -> SocketAddr {
    let listener = daemon::http::listen(&["127.0.0.1:0".parse().unwrap()]).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (config, routes) = (served.config().unwrap(), http::routes(&Arc::new(rules()), meters));
    tokio::spawn(async move { tls::serve(listener, config, routes).await });
    address
}

/// Asks at this time, trusting these authorities. The answer as it came, or why there is none.
pub(crate) async fn ask(
    address: SocketAddr,
    bundle: &str,
    at: Duration,
    request: &str,
) -> Result<String, std::io::Error> {
    let mut roots = RootCertStore::empty();
    for authority in CertificateDer::pem_slice_iter(bundle.as_bytes()) {
        roots.add(authority.unwrap()).unwrap();
    }
    let config = ClientConfig::builder_with_details(Arc::new(default_provider()), Arc::new(At(at)));
    let config = config.with_safe_default_protocol_versions().unwrap();
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from(NAME).unwrap();
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    // The other side closes when it has answered, as it was asked to.
    match stream.read_to_string(&mut answer).await {
        Err(error) if answer.is_empty() => Err(error),
        _ => Ok(answer),
    }
}

/// A request with this body, after which the connection is closed.
pub(crate) fn post(path: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}
