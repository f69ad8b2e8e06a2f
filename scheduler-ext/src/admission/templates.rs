//! Templates of pods: a mistake is told to whoever writes it, instead of in events of a controller that cannot make its pods.
//! Nothing is refused here, so that what is there already can always be changed.

use serde_json::{Value, json};

use super::mutate::fill_in;
use super::validate::warnings;
use super::{Malformed, Rules, Sent};

/// What is to be known of the pods that `workload` (a Deployment, `StatefulSet`, `DaemonSet`, `ReplicaSet`, Job or `CronJob`) makes.
///
/// # Errors
/// It has no template of pods.
pub fn warn(rules: &Rules, workload: &Value) -> Result<Vec<String>, Malformed> {
    let owners = workload["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    if owners.into_iter().any(|owner| owner["controller"] == true) {
        // Who wrote the owner's template has been told.
        return Ok(Vec::new());
    }
    let spec = &workload["spec"];
    let template = if spec["jobTemplate"].is_null() { spec } else { &spec["jobTemplate"]["spec"] };
    let template = &template["template"];
    let pod = json!({"metadata": template["metadata"], "spec": template["spec"]});
    let pod = fill_in(rules, &Sent::read(&pod)?).unwrap_or(pod);
    let sent = Sent::read(&pod)?;
    let mut told = match rules.reader.read(&sent.pod) {
        Ok(None) => return Ok(Vec::new()),
        Ok(Some(ask)) => warnings(rules, &sent, &ask),
        Err(error) => error.0.iter().map(|fault| format!("its pods will be refused: {fault}")).collect(),
    };
    let claim = rules.reader.domain.claim();
    if sent.pod.annotation(&claim).is_some() {
        told.push(format!("its pods will be refused: annotation {claim} is the scheduler's; leave it out"));
    }
    Ok(told)
}
