//! Keeping what is known of objects as the API server has them.

use std::fmt::Debug;

use futures_util::StreamExt;
use k8s_openapi::serde::de::DeserializeOwned;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, Resource};

/// Tells `note` of the objects that `field` selects, for ever. `what` is the objects' name in the log, where it says that the API
/// server is away.
pub(crate) async fn follow<K>(client: Client, field: &str, what: &str, note: impl Fn(watcher::Event<K>))
where
    K: Resource<DynamicType: Default> + Clone + DeserializeOwned + Debug + Send + 'static,
{
    let config = watcher::Config::default().fields(field);
    let events = watcher(Api::<K>::all(client), config).default_backoff();
    let mut events = std::pin::pin!(events);
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => note(event),
            Err(error) => tracing::warn!(%error, "{what} not to be had; trying again"),
        }
    }
}
