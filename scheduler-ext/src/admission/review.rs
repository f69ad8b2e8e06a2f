//! What the API server sends and what it gets: `AdmissionReview` of admission.k8s.io/v1.

use json_patch::Patch;
use kube::core::DynamicObject;
use kube::core::admission::{AdmissionRequest, AdmissionResponse, AdmissionReview, Operation};
use serde_json::Value;

use super::validate::{Refusal, Verdict};
use super::{Malformed, Rules, mutate, templates, validate};

const API_VERSION: &str = "admission.k8s.io/v1";

/// What is asked of the webhook, by the path at which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// What of a pod is filled in.
    Mutate,
    /// Whether a pod, or what changes one, is refused.
    Validate,
    /// What is to be known of a workload's pods.
    Warn,
}

impl Question {
    /// In a word.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Mutate => "mutate",
            Self::Validate => "validate",
            Self::Warn => "warn",
        }
    }
}

/// What the API server is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// To go on.
    Admitted,
    /// To go on with what was filled in.
    Changed,
    /// To go on and to tell something.
    Warned,
    /// Not to.
    Refused,
}

impl Outcome {
    fn of(response: &AdmissionResponse) -> Self {
        if !response.allowed {
            Self::Refused
        } else if response.patch.is_some() {
            Self::Changed
        } else if response.warnings.is_some() {
            Self::Warned
        } else {
            Self::Admitted
        }
    }

    /// In a word.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Admitted => "admitted",
            Self::Changed => "changed",
            Self::Warned => "warned",
            Self::Refused => "refused",
        }
    }
}

/// The body is no question that can be answered.
#[derive(Debug, thiserror::Error)]
pub enum BadReview {
    /// It is not of the shape of a review.
    #[error("the body is no AdmissionReview: {0}")]
    Body(#[from] serde_json::Error),
    /// It is a review of another version, or another thing.
    #[error("the body is {kind} of {api_version}; this answers AdmissionReview of {API_VERSION}")]
    Version {
        /// What it says that it is.
        kind: String,
        /// Of which API.
        api_version: String,
    },
    /// It asks nothing.
    #[error("the AdmissionReview has no request{0}")]
    Empty(&'static str),
    /// It is about something of another shape.
    #[error("{0}")]
    Object(#[from] Malformed),
}

/// The answer to what the API server has sent.
///
/// # Errors
/// It cannot be answered: it is not of the API server, or of another version.
pub fn answer(rules: &Rules, question: Question, body: &[u8]) -> Result<(Outcome, Vec<u8>), BadReview> {
    let review: AdmissionReview<DynamicObject> = serde_json::from_slice(body)?;
    let (kind, api_version) = (&review.types.kind, &review.types.api_version);
    if kind != "AdmissionReview" || api_version != API_VERSION {
        return Err(BadReview::Version { kind: kind.clone(), api_version: api_version.clone() });
    }
    let request: AdmissionRequest<DynamicObject> = review.try_into().map_err(|_| BadReview::Empty(""))?;
    let response = respond(rules, question, &request)?;
    Ok((Outcome::of(&response), serde_json::to_vec(&response.into_review())?))
}

fn respond(
    rules: &Rules,
    question: Question,
    request: &AdmissionRequest<DynamicObject>,
) -> Result<AdmissionResponse, BadReview> {
    let response = AdmissionResponse::from(request);
    if matches!(request.operation, Operation::Delete | Operation::Connect) {
        return Ok(response);
    }
    let object = serde_json::to_value(request.object.as_ref().ok_or(BadReview::Empty(" for an object"))?)?;
    let is_new_pod = request.resource.resource == "pods"
        && request.sub_resource.as_deref().unwrap_or_default().is_empty()
        && request.operation == Operation::Create;
    match question {
        Question::Mutate if is_new_pod => patched(response, mutate::mutate(rules, &object)?),
        Question::Mutate => Ok(response),
        Question::Warn => Ok(told(response, templates::warn(rules, &object)?)),
        Question::Validate => {
            let before = request.old_object.as_ref().map(serde_json::to_value).transpose()?;
            let user = request.user_info.username.as_deref().unwrap_or_default();
            let verdict = match validate::claim(rules, user, &before.unwrap_or(Value::Null), &object) {
                Some(refusal) => Verdict { refusal: Some(refusal), warnings: Vec::new() },
                None if is_new_pod => validate::pod(rules, &object)?,
                None => Verdict::default(),
            };
            Ok(judged(response, verdict))
        }
    }
}

fn patched(response: AdmissionResponse, patch: Patch) -> Result<AdmissionResponse, BadReview> {
    if patch.is_empty() {
        return Ok(response);
    }
    response.with_patch(patch).map_err(|error| BadReview::Body(serde::ser::Error::custom(error)))
}

fn judged(response: AdmissionResponse, verdict: Verdict) -> AdmissionResponse {
    let response = told(response, verdict.warnings);
    let Some(refusal) = verdict.refusal else { return response };
    let mut response = response.deny(&refusal);
    (response.result.code, response.result.reason) = match refusal {
        Refusal::Ask(_) => (422, "Invalid".to_owned()),
        Refusal::Claim { .. } => (403, "Forbidden".to_owned()),
    };
    response
}

fn told(mut response: AdmissionResponse, warnings: Vec<String>) -> AdmissionResponse {
    response.warnings = (!warnings.is_empty()).then_some(warnings);
    response
}
