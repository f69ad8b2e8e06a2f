//! Reviews of pods and workloads that the API server sends: whoever may make them has written most of it.
//!
//! Promised: what can be read is answered, to whom has asked; what is filled in of a pod is filled in once.

use contract::resources::Domain;
use json_patch::Patch;
use k8s_openapi::api::core::v1::Pod;
use scheduler_ext::admission::Rules;
use scheduler_ext::admission::mutate::mutate;
use scheduler_ext::admission::review::{Question, answer};
use scheduler_ext::ledger::SharedLedger;
use serde::Deserialize;
use serde_json::Value;

use crate::cluster;

/// Who asks. What else there is may be no text: nobody looks at it.
#[derive(Deserialize)]
struct Asked {
    request: Request,
}

#[derive(Deserialize)]
struct Request {
    uid: String,
}

/// Asks what the first character of `input` chooses of what follows: of a review, or of an object without one.
pub fn run(input: &[u8]) {
    let Some((question, text)) = input.split_first() else { return };
    let rules = rules();
    let question = match question % 4 {
        0 => Question::Mutate,
        1 => Question::Validate,
        2 => Question::Warn,
        _ => return once(&rules, text),
    };
    let Ok((_, body)) = answer(&rules, question, text) else { return };
    let Asked { request } = serde_json::from_slice(text).expect("a review");
    let body: Value = serde_json::from_slice(&body).expect("an answer");
    assert_eq!(body["response"]["uid"], request.uid);
    assert!(body["response"]["allowed"].is_boolean(), "{body}");
}

fn rules() -> Rules {
    Rules {
        reader: cluster::reader(),
        scheduler_name: "vgpu-scheduler".to_owned(),
        claim_writers: vec![Domain::default().claim()],
        ledger: Some(SharedLedger::new(cluster::ledger())),
    }
}

/// What is filled in of a pod, as the API server writes it, leaves nothing to be filled in.
fn once(rules: &Rules, text: &[u8]) {
    let Ok(pod) = serde_json::from_slice::<Pod>(text) else { return };
    let mut pod = serde_json::to_value(&pod).expect("a pod");
    let Ok(Ok(patch)) = mutate(rules, &pod.to_string()) else { return };
    json_patch::patch(&mut pod, &patch).expect("a patch of this pod");
    let again = mutate(rules, &pod.to_string()).expect("still a pod");
    assert_eq!(again, Ok(Patch::default()), "{pod}");
}
