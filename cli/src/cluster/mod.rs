//! `vgpu explain` and `vgpu nodes`: what a cluster's scheduler has to say.
//!
//! It answers in words, by the code with which it places pods; here they are only fetched and shown.

mod kubectl;

use crate::args::{ExplainArgs, NodesArgs, SchedulerArgs};
use crate::failure::Failure;
use crate::say::print;
use crate::show::escaped;
use kubectl::Kubectl;

/// Before what went wrong, in an answer in words.
const ERROR: &str = "error: ";

/// Says why a pod waits, or where it is.
pub(crate) fn explain(args: &ExplainArgs) -> Result<(), Failure> {
    let kubectl = Kubectl::new(args.scheduler.context.as_deref());
    let namespace = match &args.namespace {
        Some(namespace) => namespace.clone(),
        None => kubectl.namespace()?,
    };
    show(&kubectl, &args.scheduler, &format!("explain/{namespace}/{}", args.pod))
}

/// Lists the nodes.
pub(crate) fn nodes(args: &NodesArgs) -> Result<(), Failure> {
    show(&Kubectl::new(args.scheduler.context.as_deref()), &args.scheduler, "nodes")
}

fn show(kubectl: &Kubectl, args: &SchedulerArgs, page: &str) -> Result<(), Failure> {
    let service = &args.scheduler;
    let output = if args.json { "?output=json" } else { "" };
    let path = format!(
        "/api/v1/namespaces/{}/services/http:{}:metrics/proxy/{page}{output}",
        service.namespace, service.name
    );
    let answer = kubectl.raw(&path).map_err(|said| {
        Failure::own(format_args!(
            "cannot ask the scheduler at Service {}/{}: {said}; --scheduler names another one",
            service.namespace, service.name
        ))
    })?;
    match answer.strip_prefix(ERROR) {
        Some(error) => Err(Failure::own(error.trim_end())),
        None => print(&(answer.trim_end().lines().map(escaped).collect::<Vec<_>>().join("\n") + "\n")),
    }
}
