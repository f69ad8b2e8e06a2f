//! Whose lease says which replica binds pods.

use std::fmt;
use std::str::FromStr;

/// The lease of the kube-scheduler beside this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseName {
    /// Its namespace.
    pub namespace: String,
    /// Its name in there.
    pub name: String,
}

/// The text names no lease.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no lease: write NAMESPACE/NAME, as in vgpu-system/vgpu-scheduler")]
pub struct LeaseNameError(String);

impl FromStr for LeaseName {
    type Err = LeaseNameError;

    fn from_str(text: &str) -> Result<Self, LeaseNameError> {
        let is_name = |part: &str| !part.is_empty() && !part.contains('/');
        match text.split_once('/') {
            Some((namespace, name)) if is_name(namespace) && is_name(name) => {
                Ok(Self { namespace: namespace.to_owned(), name: name.to_owned() })
            }
            _ => Err(LeaseNameError(text.to_owned())),
        }
    }
}

impl fmt::Display for LeaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}
