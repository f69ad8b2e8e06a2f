//! What the API server sends and what it gets: `AdmissionReview` of admission.k8s.io/v1.

use contract::Foreign;
use json_patch::Patch;
use kube::core::Status;
use kube::core::admission::{AdmissionResponse, Operation};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::validate::{Refusal, Verdict};
use super::{Malformed, Rules, mutate, templates, validate};

const API_VERSION: &str = "admission.k8s.io/v1";

/// The most values of a review: objects of the size that is stored have less than half as many. Each takes up to a hundred bytes
/// where it is read.
const VALUES: usize = 1 << 18;

/// The longest answer. What is filled in of 64 containers is a third of it.
const ANSWER: usize = 256 << 10;

/// What is read of a review. Its objects stay as they came.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Review<'a> {
    kind: String,
    api_version: String,
    #[serde(borrow)]
    request: Option<Request<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    uid: String,
    resource: Resource,
    sub_resource: Option<String>,
    operation: Operation,
    user_info: User,
    #[serde(borrow)]
    object: Option<&'a RawValue>,
    #[serde(borrow)]
    old_object: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Resource {
    resource: String,
}

#[derive(Deserialize)]
struct User {
    username: Option<String>,
}

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
    #[error(
        "the body is {} of {}; this answers AdmissionReview of {API_VERSION}",
        Foreign(kind),
        Foreign(api_version)
    )]
    Version {
        /// What it says that it is.
        kind: String,
        /// Of which API.
        api_version: String,
    },
    /// It asks nothing.
    #[error("the AdmissionReview has no request{0}")]
    Empty(&'static str),
    /// It would take too much memory.
    #[error("the AdmissionReview has more than {VALUES} values")]
    ManyValues,
    /// It repeats what nobody names so.
    #[error("the answer would have {0} bytes, and may have {ANSWER}")]
    LongAnswer(usize),
    /// It is about something of another shape.
    #[error("{0}")]
    Object(#[from] Malformed),
}

/// The answer to what the API server has sent.
///
/// # Errors
/// It cannot be answered: it is not of the API server, or of another version.
pub fn answer(rules: &Rules, question: Question, body: &[u8]) -> Result<(Outcome, Vec<u8>), BadReview> {
    if !has_at_most(body, VALUES) {
        return Err(BadReview::ManyValues);
    }
    let Review { kind, api_version, request } = serde_json::from_slice(body)?;
    if kind != "AdmissionReview" || api_version != API_VERSION {
        return Err(BadReview::Version { kind, api_version });
    }
    let response = respond(rules, question, &request.ok_or(BadReview::Empty(""))?)?;
    let outcome = Outcome::of(&response);
    let answer = serde_json::to_vec(&response.into_review())?;
    if answer.len() > ANSWER {
        return Err(BadReview::LongAnswer(answer.len()));
    }
    Ok((outcome, answer))
}

/// Whether a JSON text has no more values than that: each is the first, or the first of an array or object, or comes after a comma.
fn has_at_most(text: &[u8], most: usize) -> bool {
    let (mut in_string, mut is_escaped) = (false, false);
    let begins = text.iter().filter(|byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' => return !in_string,
            _ => {}
        }
        false
    });
    begins.take(most).count() < most
}

fn respond(rules: &Rules, question: Question, request: &Request<'_>) -> Result<AdmissionResponse, BadReview> {
    let response = admitted(request.uid.clone());
    if matches!(request.operation, Operation::Delete | Operation::Connect) {
        return Ok(response);
    }
    let object = request.object.ok_or(BadReview::Empty(" for an object"))?.get();
    let is_new_pod = request.resource.resource == "pods"
        && request.sub_resource.as_deref().unwrap_or_default().is_empty()
        && request.operation == Operation::Create;
    match question {
        Question::Mutate if is_new_pod => match mutate::mutate(rules, object)? {
            Ok(patch) => patched(response, patch),
            Err(refusal) => Ok(refused(response, &refusal)),
        },
        Question::Mutate => Ok(response),
        Question::Warn => Ok(told(response, templates::warn(rules, object)?)),
        Question::Validate => {
            let before = request.old_object.map(RawValue::get);
            let user = request.user_info.username.as_deref().unwrap_or_default();
            let verdict = match validate::claim(rules, user, before, object)? {
                Some(refusal) => Verdict { refusal: Some(refusal), warnings: Vec::new() },
                None if is_new_pod => validate::pod(rules, object)?,
                None => Verdict::default(),
            };
            Ok(judged(response, verdict))
        }
    }
}

fn admitted(uid: String) -> AdmissionResponse {
    // The only one that is made without all of the request.
    let mut response = AdmissionResponse::invalid("");
    (response.uid, response.allowed, response.result) = (uid, true, Status::default());
    response
}

fn patched(response: AdmissionResponse, patch: Patch) -> Result<AdmissionResponse, BadReview> {
    if patch.is_empty() {
        return Ok(response);
    }
    response.with_patch(patch).map_err(|error| BadReview::Body(serde::ser::Error::custom(error)))
}

fn judged(response: AdmissionResponse, verdict: Verdict) -> AdmissionResponse {
    let response = told(response, verdict.warnings);
    match verdict.refusal {
        Some(refusal) => refused(response, &refusal),
        None => response,
    }
}

fn refused(response: AdmissionResponse, refusal: &Refusal) -> AdmissionResponse {
    let mut response = response.deny(refusal);
    (response.result.code, response.result.reason) = match refusal {
        Refusal::Claim { .. } => (403, "Forbidden".to_owned()),
        _ => (422, "Invalid".to_owned()),
    };
    response
}

fn told(mut response: AdmissionResponse, warnings: Vec<String>) -> AdmissionResponse {
    response.warnings = (!warnings.is_empty()).then_some(warnings);
    response
}
