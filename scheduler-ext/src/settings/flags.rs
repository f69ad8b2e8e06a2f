//! The command line.

use clap::Parser;
use clap::builder::NonEmptyStringValueParser;
use contract::resources::{DEFAULT_DOMAIN, Domain, NameStyle};
use daemon::flags::{Bind, BindError};
use daemon::log;
use placement::Policy;

use super::gates::{Gate, Gates};
use super::object::ObjectName;
use super::webhook::WebhookFlags;
use crate::request::{POLICIES, Reader};

/// The scheduler extender of vgpu: places pods with slices of GPUs, beside a kube-scheduler as it is.
#[derive(Clone, Debug, Parser)]
#[command(name = "vgpu-scheduler-extender", version)]
pub struct Flags {
    /// Domain of resources, annotations and labels.
    #[arg(long, default_value = DEFAULT_DOMAIN, value_name = "DOMAIN")]
    pub domain: Domain,

    /// How the resources of a slice are called: vgpu-number, vgpu-memory, vgpu-cores, or, as HAMi calls them, gpu, gpumem, gpucores.
    #[arg(long, default_value = "vgpu", value_name = "STYLE")]
    pub resource_names: NameStyle,

    /// Which nodes pods had rather that do not say: those that are used most, binpack, those that are used least, spread, or none.
    #[arg(long, default_value = "none", value_name = "POLICY", value_parser = policy)]
    pub default_node_policy: Policy,

    /// Which devices of a node pods get that do not say: binpack, spread or none.
    #[arg(long, default_value = "none", value_name = "POLICY", value_parser = policy)]
    pub default_device_policy: Policy,

    /// Parts that are off unless they are asked for, as in Reschedule=true,SerialBindNode=true.
    #[arg(long, default_value = "", value_name = "GATES", hide_default_value = true)]
    pub feature_gates: Gates,

    /// The lease of the kube-scheduler beside this program, where there are several of both: pods are bound only while it is held by
    /// this pod. Without it they always are.
    #[arg(long, value_name = "NAMESPACE/NAME", requires = "pod_name")]
    pub lease: Option<ObjectName>,

    /// Name of this pod, with which the lease's holder begins.
    #[arg(long, env = "POD_NAME", value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub pod_name: Option<String>,

    /// That kube-scheduler offers a part of its nodes only, because its percentageOfNodesToScore is not 100: a pod that fits on none of
    /// them and on another node is tried again soon, instead of waiting as one that fits nowhere.
    #[arg(long)]
    pub nodes_are_sampled: bool,

    /// How often the ledger is compared with what the API server has, in seconds: ten times as many while another replica leads.
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub audit_interval: u64,

    /// Where kube-scheduler reaches this program, without a secret: ADDRESS:PORT on this machine or in this pod, or :PORT for all
    /// addresses.
    #[arg(long, default_value = "127.0.0.1:3456", value_name = "ADDRESS", value_parser = somewhere)]
    pub bind_address: Bind,

    /// Where metrics and probes are served: PORT on all addresses as in :9395, ADDRESS:PORT, or 0 for nowhere.
    #[arg(long, default_value = ":9395", value_name = "ADDRESS")]
    pub metrics_bind_address: Bind,

    /// The webhook.
    #[command(flatten)]
    pub webhook: WebhookFlags,

    /// How the log is written; the variable RUST_LOG says how much of it.
    #[arg(long, default_value = "text", value_name = "FORMAT")]
    pub log_format: log::Format,
}

/// An address, for what is of no use without one.
fn somewhere(text: &str) -> Result<Bind, String> {
    let address: Bind = text.parse().map_err(|error: BindError| error.to_string())?;
    let is_nowhere = address.addresses().is_empty();
    let fault = || format!("kube-scheduler cannot reach {text}: write ADDRESS:PORT, or :PORT");
    if is_nowhere { Err(fault()) } else { Ok(address) }
}

fn policy(text: &str) -> Result<Policy, String> {
    POLICIES.meaning(text).map_err(|known| format!("known: {}", known.join(", ")))
}

impl Flags {
    /// What pods and nodes are read with.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader {
            node_policy: self.default_node_policy,
            device_policy: self.default_device_policy,
            has_topology: self.feature_gates.has(Gate::GpuTopology),
            ..Reader::new(self.domain.clone(), self.resource_names)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Flags, clap::Error> {
        Flags::try_parse_from([&["vgpu-scheduler-extender"], arguments].concat())
    }

    #[test]
    fn mistakes_are_named() {
        for (argument, said) in [
            ("--feature-gates=CorePlugin=true", "unknown feature gate \"CorePlugin\"; known: GPUTopology"),
            ("--feature-gates=Reschedule=yes", "\"Reschedule=yes\": write NAME=true or NAME=false"),
            ("--domain=a/b", "a/b is no domain"),
            ("--resource-names=volcano", "vgpu, hami"),
            ("--default-node-policy=pack", "binpack, spread, none"),
            ("--lease=a/b", "--pod-name"),
            ("--lease=scheduler", "write NAMESPACE/NAME"),
            ("--lease=a/b/c", "write NAMESPACE/NAME"),
            ("--bind-address=3456", "3456 is no address"),
            ("--bind-address=0", "kube-scheduler cannot reach 0"),
            ("--pod-name=", "--pod-name <NAME>"),
            ("--scheduler-name=", "--scheduler-name <NAME>"),
            ("--claim-writers=", "--claim-writers <USERS>"),
            ("--webhook-service=a/b", "--webhook-secret"),
            ("--webhook-configuration=a", "--webhook-secret"),
        ] {
            let error = parse(&[argument]).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(said), "{error}");
        }
    }

    #[test]
    fn pods_are_read_as_the_flags_say() {
        let flags =
            parse(&["--resource-names=hami", "--default-device-policy=spread", "--domain=a.org"]).unwrap();
        let reader = flags.reader();
        assert!(!reader.has_topology);
        assert_eq!((reader.node_policy, reader.device_policy), (Policy::None, Policy::Spread));
        assert_eq!(reader.names.memory, "a.org/gpumem");
        assert!(parse(&["--feature-gates=GPUTopology=true"]).unwrap().reader().has_topology);
        let lease = parse(&["--lease=s/n", "--pod-name=p"]).unwrap().lease.unwrap();
        assert_eq!(lease.to_string(), "s/n");
    }
}
