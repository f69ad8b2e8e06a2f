//! Templates of pods: a mistake is told to whoever writes it, instead of in events of a controller that cannot make its pods.
//! Nothing is refused here, so that what is there already can always be changed.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::mutate::fill_numbers;
use super::validate::warnings;
use super::{Malformed, Rules, Sent};
use crate::api::or_null;

/// A Deployment, `StatefulSet`, `DaemonSet`, `ReplicaSet`, Job or `CronJob`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Workload<'a> {
    #[serde(deserialize_with = "or_null")]
    metadata: Metadata,
    #[serde(borrow, deserialize_with = "or_null")]
    spec: Spec<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    #[serde(deserialize_with = "or_null")]
    owner_references: Vec<Owner>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Owner {
    controller: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec<'a> {
    #[serde(borrow)]
    template: Option<&'a RawValue>,
    #[serde(borrow)]
    job_template: Option<JobTemplate<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct JobTemplate<'a> {
    #[serde(borrow, deserialize_with = "or_null")]
    spec: Job<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Job<'a> {
    #[serde(borrow)]
    template: Option<&'a RawValue>,
}

/// What is to be known of the pods that `workload`, a JSON text, makes.
///
/// # Errors
/// It has no template of pods.
pub fn warn(rules: &Rules, workload: &str) -> Result<Vec<String>, Malformed> {
    let workload: Workload<'_> = serde_json::from_str(workload).map_err(Malformed)?;
    if workload.metadata.owner_references.iter().any(|owner| owner.controller == Some(true)) {
        // Who wrote the owner's template has been told.
        return Ok(Vec::new());
    }
    let Spec { template, job_template } = workload.spec;
    let Some(template) = job_template.map_or(template, |job| job.spec.template) else {
        return Ok(Vec::new());
    };
    let mut sent = Sent::read(template.get())?;
    fill_numbers(&rules.reader.names, &mut sent.pod);
    let mut told = rules.reader.doubts(&sent.pod);
    match rules.reader.read(&sent.pod) {
        Ok(None) => return Ok(told),
        Ok(Some(ask)) => told.extend(warnings(rules, &sent, &ask)?),
        Err(error) => {
            told.extend(error.0.iter().map(|fault| format!("its pods will be refused: {fault}")));
        }
    }
    let claim = rules.reader.domain.claim();
    if sent.pod.annotation(&claim).is_some() {
        told.push(format!("its pods will be refused: annotation {claim} is the scheduler's; leave it out"));
    }
    Ok(told)
}
