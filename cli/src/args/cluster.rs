//! The arguments of what is asked of a cluster's scheduler: `vgpu explain` and `vgpu nodes`.

use std::str::FromStr;

use clap::{Args, Parser};
use contract::names::is_object_name;

/// Say why a pod waits and what would help, or where it is and what it has there
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  vgpu explain trainer-0
  vgpu explain --namespace team trainer-0
  vgpu explain --scheduler other-namespace/other-release-scheduler trainer-0

The cluster's scheduler extender answers, by the code with which it places pods; kubectl asks it, with the
rights that kubectl has.")]
pub(crate) struct ExplainArgs {
    /// The pod's name
    #[arg(value_name = "POD", value_parser = name)]
    pub(crate) pod: String,

    /// Its namespace; without one, that of kubectl's context
    #[arg(short, long, value_name = "NAMESPACE", value_parser = name)]
    pub(crate) namespace: Option<String>,

    #[command(flatten)]
    pub(crate) scheduler: SchedulerArgs,
}

/// List the nodes with GPUs to share, and what is claimed of each GPU, of how much
#[derive(Debug, Parser)]
#[command(after_help = "\
The cluster's scheduler extender answers; kubectl asks it, with the rights that kubectl has.")]
pub(crate) struct NodesArgs {
    #[command(flatten)]
    pub(crate) scheduler: SchedulerArgs,
}

/// Whom to ask.
#[derive(Debug, Args)]
pub(crate) struct SchedulerArgs {
    /// The Service of the scheduler
    #[arg(
        long,
        env = "VGPU_SCHEDULER",
        value_name = "NAMESPACE/SERVICE",
        default_value = "vgpu-system/vgpu-scheduler"
    )]
    pub(crate) scheduler: Service,

    /// The cluster, by a context of kubectl's configuration; without one, the current context
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,

    /// Print what a program can read
    #[arg(long)]
    pub(crate) json: bool,
}

/// A Service of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Service {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl FromStr for Service {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (namespace, service) = text
            .split_once('/')
            .ok_or_else(|| "write NAMESPACE/SERVICE, as in vgpu-system/vgpu-scheduler".to_owned())?;
        Ok(Self { namespace: name(namespace)?, name: name(service)? })
    }
}

/// A name of an object in a cluster, which becomes a part of a path.
fn name(text: &str) -> Result<String, String> {
    if is_object_name(text) {
        Ok(text.to_owned())
    } else {
        Err("it is no name of an object: lower-case letters, digits, hyphens and dots".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explain(args: &[&str]) -> Result<ExplainArgs, String> {
        ExplainArgs::try_parse_from(["explain"].iter().chain(args))
            .map_err(|error| error.render().to_string())
    }

    #[test]
    fn a_pod_by_name_and_namespace() {
        let args = explain(&["-n", "team", "trainer-0"]).expect("a pod");
        assert_eq!((args.pod.as_str(), args.namespace.as_deref()), ("trainer-0", Some("team")));
        let service = Service { namespace: "a".to_owned(), name: "b".to_owned() };
        assert_eq!(explain(&["--scheduler=a/b", "p"]).expect("a pod").scheduler.scheduler, service);
    }

    #[test]
    fn what_is_no_name_never_becomes_a_path() {
        for wrong in ["", "..", "a/b", "A", "a b", "a?x=y", "%2e"] {
            assert!(explain(&["--", wrong]).expect_err(wrong).contains("it is no name"), "{wrong}");
        }
        assert!(explain(&["--scheduler", "b", "p"]).expect_err("no namespace").contains("NAMESPACE/SERVICE"));
    }
}
