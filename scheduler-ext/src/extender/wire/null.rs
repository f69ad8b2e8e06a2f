//! What Go writes for what is not there.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// A map in which values may be null.
pub(super) fn map<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<Option<BTreeMap<String, T>>, D::Error> {
    let map = Option::<BTreeMap<String, Option<T>>>::deserialize(deserializer)?;
    Ok(map.map(|map| map.into_iter().map(|(key, value)| (key, value.unwrap_or_default())).collect()))
}
