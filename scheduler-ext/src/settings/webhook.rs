//! What the webhook is told by the command line.

use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use daemon::flags::Bind;

use super::object::ObjectName;

/// The webhook, and whose pods it is for. It is served where it is said which certificate it has.
#[derive(Clone, Debug, Args)]
pub struct WebhookFlags {
    /// The name of the scheduler beside this program, which pods that name none are given.
    #[arg(long, default_value = "vgpu-scheduler", value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub scheduler_name: String,

    /// Where API servers reach the webhook: PORT on all addresses as in :9443, ADDRESS:PORT, or 0 for nowhere.
    #[arg(long, default_value = ":9443", value_name = "ADDRESS")]
    pub webhook_bind_address: Bind,

    /// The webhook's certificate, as tls.crt and tls.key that somebody else renews; read again when they change.
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "webhook_secret")]
    pub webhook_cert_dir: Option<PathBuf>,

    /// Instead: where a certificate of its own and the authority that signs it are kept, for all replicas.
    #[arg(long, value_name = "NAMESPACE/NAME", requires_all = ["webhook_service", "webhook_configuration"])]
    pub webhook_secret: Option<ObjectName>,

    /// The Service by which API servers reach the webhook, for which its own certificate is.
    #[arg(long, value_name = "NAMESPACE/NAME", requires = "webhook_secret")]
    pub webhook_service: Option<ObjectName>,

    /// Name of the MutatingWebhookConfiguration and of the ValidatingWebhookConfiguration, in which that authority is named.
    #[arg(long, value_name = "NAME", requires = "webhook_secret", value_parser = NonEmptyStringValueParser::new())]
    pub webhook_configuration: Option<String>,

    /// Who may write claims, as the API server names users; the webhook refuses everybody else. Without any it does not look, as
    /// where a ValidatingAdmissionPolicy does.
    #[arg(long, value_delimiter = ',', value_name = "USERS", value_parser = NonEmptyStringValueParser::new())]
    pub claim_writers: Vec<String>,
}
