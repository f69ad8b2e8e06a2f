//! Objects of the API server that the command line names.

use std::fmt;
use std::str::FromStr;

use contract::names::is_object_name;

/// An object in a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName {
    /// Its namespace.
    pub namespace: String,
    /// Its name in there.
    pub name: String,
}

/// The text names no object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no object: write NAMESPACE/NAME, as in vgpu-system/vgpu-scheduler")]
pub struct ObjectNameError(String);

impl FromStr for ObjectName {
    type Err = ObjectNameError;

    fn from_str(text: &str) -> Result<Self, ObjectNameError> {
        match text.split_once('/') {
            Some((namespace, name)) if is_object_name(namespace) && is_object_name(name) => {
                Ok(Self { namespace: namespace.to_owned(), name: name.to_owned() })
            }
            _ => Err(ObjectNameError(text.to_owned())),
        }
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}
