//! Pods as filter has seen them, so that they need not be asked for when they are bound a moment later.

use super::error::BindError;
use crate::api::Pod;
use crate::ledger::PodFacts;
use crate::request::{Ask, Reader};

/// A pod that is to be placed.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Which it is.
    pub facts: PodFacts,
    /// What it asks for; `None`: no slice.
    pub ask: Option<Ask>,
}

impl Seen {
    /// What there is to be known of `pod`.
    ///
    /// # Errors
    /// It has no identity, or asks for what nobody can have.
    pub fn read(pod: &Pod, reader: &Reader) -> Result<Self, BindError> {
        let facts = PodFacts::of(pod).ok_or_else(|| BindError::Invalid("the pod has no uid".to_owned()))?;
        Ok(Self { facts, ask: reader.read(pod)? })
    }
}
