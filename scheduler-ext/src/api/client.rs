//! A client of the API server.

use kube::{Client, Config};

/// One that asks each question once. What is asked again, when, and what that means for a request that may have been heard, is decided
/// where it is asked: a Binding that is sent again by itself would land when nobody counts with it any more.
///
/// # Errors
/// The configuration makes no client.
pub fn connect(mut config: Config) -> kube::Result<Client> {
    config.default_retry = false;
    Client::try_from(config)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use kube::Api;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::api::Pod;

    #[tokio::test]
    async fn a_question_is_asked_once() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                count.fetch_add(1, Ordering::Relaxed);
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let busy =
                    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                let _ = stream.write_all(busy.as_bytes()).await;
            }
        });
        let client = connect(Config::new(format!("http://{address}").parse().unwrap())).unwrap();
        assert!(Api::<Pod>::namespaced(client, "n").get("p").await.is_err());
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }
}
