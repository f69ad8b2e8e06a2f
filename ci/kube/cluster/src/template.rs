//! Files with names in them, such as `{{NODE}}`, that stand for what only is known when a cluster starts.

use anyhow::{Result, bail};
use std::collections::BTreeMap;

/// Puts `values` in the place of their names.
///
/// # Errors
/// A name has no value.
pub(crate) fn fill(text: &str, values: &BTreeMap<&str, String>) -> Result<String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, name, after)) = next(rest) {
        let Some(value) = values.get(name) else {
            let known: Vec<_> = values.keys().copied().collect();
            bail!("{{{{{name}}}}} has no value; there are {}", known.join(", "));
        };
        filled.push_str(before);
        filled.push_str(value);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

fn next(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (name, after) = rest.split_once("}}")?;
    Some((before, name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_values_and_an_unknown_one_is_an_error() {
        let values = BTreeMap::from([("A", "1".to_owned())]);
        assert_eq!(fill("{{A}} { {{A}}", &values).unwrap(), "1 { 1");
        assert_eq!(fill("{{B}}", &values).unwrap_err().to_string(), "{{B}} has no value; there are A");
    }
}
