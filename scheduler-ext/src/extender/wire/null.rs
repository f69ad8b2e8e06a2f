//! What Go writes for what is not there.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// Names, which may be null as a whole. They stay where they are: a request has thousands.
pub(super) fn names<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<Cow<'de, str>>>, D::Error> {
    #[derive(Deserialize)]
    struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

    let names = Option::<Vec<Name<'de>>>::deserialize(deserializer)?;
    Ok(names.map(|names| names.into_iter().map(|Name(name)| name).collect()))
}

/// A map in which values may be null.
pub(super) fn map<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<Option<BTreeMap<String, T>>, D::Error> {
    let map = Option::<BTreeMap<String, Option<T>>>::deserialize(deserializer)?;
    Ok(map.map(|map| map.into_iter().map(|(key, value)| (key, value.unwrap_or_default())).collect()))
}
