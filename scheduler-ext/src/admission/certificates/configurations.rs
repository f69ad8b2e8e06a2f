//! What API servers are told to trust: the bundle of authorities in the configurations of our webhooks.

use json_patch::jsonptr::PointerBuf;
use json_patch::{AddOperation, Patch as JsonPatch, PatchOperation, TestOperation};
use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration, WebhookClientConfig,
};
use kube::api::{Patch, PatchParams};
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;
use serde_json::json;

use super::own::KeepError;

/// Our two configurations, which have one name.
pub(super) struct Configurations {
    mutating: Api<MutatingWebhookConfiguration>,
    validating: Api<ValidatingWebhookConfiguration>,
    name: String,
}

impl Configurations {
    pub(super) fn new(client: &Client, name: &str) -> Self {
        let (mutating, validating) = (Api::all(client.clone()), Api::all(client.clone()));
        Self { mutating, validating, name: name.to_owned() }
    }

    /// Has each of their webhooks trust `bundle`, where it does not yet.
    pub(super) async fn tell(&self, bundle: &str) -> Result<(), KeepError> {
        let told = tell(&self.mutating, &self.name, bundle).await;
        tell(&self.validating, &self.name, bundle).await.and(told)
    }
}

/// A configuration of webhooks.
trait Webhooks: Resource<DynamicType = ()> + Clone + DeserializeOwned + std::fmt::Debug {
    fn clients(&self) -> Vec<&WebhookClientConfig>;
}

impl Webhooks for MutatingWebhookConfiguration {
    fn clients(&self) -> Vec<&WebhookClientConfig> {
        self.webhooks.iter().flatten().map(|webhook| &webhook.client_config).collect()
    }
}

impl Webhooks for ValidatingWebhookConfiguration {
    fn clients(&self) -> Vec<&WebhookClientConfig> {
        self.webhooks.iter().flatten().map(|webhook| &webhook.client_config).collect()
    }
}

async fn tell<K: Webhooks>(api: &Api<K>, name: &str, bundle: &str) -> Result<(), KeepError> {
    let failed = |what| {
        move |error| KeepError::Configuration {
            kind: K::kind(&()).into_owned(),
            what,
            error: Box::new(error),
        }
    };
    // One that is not there is not missed: who has removed it wants no such webhook.
    let Some(found) = api.get_opt(name).await.map_err(failed("read"))? else { return Ok(()) };
    let Some(patch) = patch(&found, bundle) else { return Ok(()) };
    match api.patch(name, &PatchParams::default(), &Patch::Json::<()>(patch)).await {
        Ok(_) => {
            tracing::info!(kind = %K::kind(&()), name, "the API server is told whom the webhook is signed by");
            Ok(())
        }
        // It has changed since it was read: it is looked at again soon.
        Err(kube::Error::Api(status)) if matches!(status.code, 409 | 422) => Ok(()),
        Err(error) => Err(failed("patched")(error)),
    }
}

/// What is to be changed, for as long as it is as it was read.
fn patch<K: Webhooks>(found: &K, bundle: &str) -> Option<JsonPatch> {
    let clients = found.clients();
    let is_other = |client: &WebhookClientConfig| {
        client.ca_bundle.as_ref().is_none_or(|ByteString(held)| held != bundle.as_bytes())
    };
    let others = clients.iter().enumerate().filter(|(_, client)| is_other(client));
    let adds: Vec<PatchOperation> = others
        .map(|(place, _)| {
            let place = place.to_string();
            let path = PointerBuf::from_tokens(["webhooks", &place, "clientConfig", "caBundle"]);
            PatchOperation::Add(AddOperation { path, value: json!(ByteString(bundle.into())) })
        })
        .collect();
    let is = PatchOperation::Test(TestOperation {
        path: PointerBuf::from_tokens(["metadata", "resourceVersion"]),
        value: json!(found.meta().resource_version),
    });
    (!adds.is_empty()).then(|| JsonPatch(std::iter::once(is).chain(adds).collect()))
}
