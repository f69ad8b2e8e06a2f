//! Which nodes a pod keeps to.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::node::Taint;
use super::object::or_null;

/// What a pod says of nodes, as far as it is a must.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Affinity {
    /// What it says of nodes themselves, not of who else is there.
    #[serde(deserialize_with = "or_null")]
    pub node_affinity: NodeAffinity,
}

/// What a pod says of nodes themselves.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NodeAffinity {
    /// What has to be so.
    pub required_during_scheduling_ignored_during_execution: Option<NodeSelector>,
}

/// One of the terms has to hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NodeSelector {
    /// The terms.
    #[serde(deserialize_with = "or_null")]
    pub node_selector_terms: Vec<NodeTerm>,
}

/// All of the expressions have to hold; without any, it does not.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NodeTerm {
    /// Of labels.
    #[serde(deserialize_with = "or_null")]
    pub match_expressions: Vec<NodeExpression>,
    /// Of fields: the name is the only one that there is.
    #[serde(deserialize_with = "or_null")]
    pub match_fields: Vec<NodeExpression>,
}

/// Something said of one label or field.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct NodeExpression {
    /// Which.
    pub key: String,
    /// `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt` or `Lt`.
    pub operator: String,
    /// What it is compared with.
    #[serde(deserialize_with = "or_null")]
    pub values: Vec<String>,
}

impl NodeExpression {
    /// Whether it holds of this value; `None`: there is no such label. What is not known does not hold.
    #[must_use]
    pub fn holds(&self, value: Option<&str>) -> bool {
        let is_listed = value.is_some_and(|value| self.values.iter().any(|listed| listed == value));
        let order = || {
            let (mine, bound): (i64, i64) = (value?.parse().ok()?, self.values.first()?.parse().ok()?);
            Some(mine.cmp(&bound))
        };
        match self.operator.as_str() {
            "In" => is_listed,
            "NotIn" => !is_listed,
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            "Gt" => order().is_some_and(std::cmp::Ordering::is_gt),
            "Lt" => order().is_some_and(std::cmp::Ordering::is_lt),
            _ => false,
        }
    }
}

impl NodeSelector {
    /// Whether it holds of a node.
    #[must_use]
    pub fn holds(&self, name: &str, labels: &BTreeMap<String, String>) -> bool {
        let label = |key: &str| labels.get(key).map(String::as_str);
        self.node_selector_terms.iter().any(|term| {
            let is_name = |field: &NodeExpression| field.key == "metadata.name" && field.holds(Some(name));
            (!term.match_expressions.is_empty() || !term.match_fields.is_empty())
                && term.match_expressions.iter().all(|of| of.holds(label(&of.key)))
                && term.match_fields.iter().all(is_name)
        })
    }
}

/// A taint that does not keep a pod away.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Toleration {
    /// Which taints; empty, with `Exists`: all.
    #[serde(deserialize_with = "or_null")]
    pub key: String,
    /// `Exists`, or `Equal`, which may be left out.
    #[serde(deserialize_with = "or_null")]
    pub operator: String,
    /// What the taint's value has to be.
    #[serde(deserialize_with = "or_null")]
    pub value: String,
    /// Which of its effects; empty: all.
    #[serde(deserialize_with = "or_null")]
    pub effect: String,
}

impl Toleration {
    /// Whether it covers the taint. What is not known covers none.
    #[must_use]
    pub fn covers(&self, taint: &Taint) -> bool {
        let is_key = if self.key.is_empty() { self.operator == "Exists" } else { self.key == taint.key };
        let is_value = match self.operator.as_str() {
            "Exists" => true,
            "" | "Equal" => self.value == taint.value.as_deref().unwrap_or_default(),
            _ => false,
        };
        is_key && is_value && (self.effect.is_empty() || self.effect == taint.effect)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn selector(terms: &serde_json::Value) -> NodeSelector {
        serde_json::from_value(json!({ "nodeSelectorTerms": terms })).unwrap()
    }

    #[test]
    fn one_term_has_to_hold_with_all_that_it_says() {
        let labels: BTreeMap<_, _> =
            [("zone", "a"), ("cores", "64")].map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let holds = |terms| selector(&terms).holds("n1", &labels);
        let of = |key: &str, operator: &str, values: &[&str]| json!({"matchExpressions": [{"key": key, "operator": operator, "values": values}]});
        assert!(holds(json!([of("zone", "In", &["b"]), of("zone", "In", &["a", "b"])])));
        assert!(holds(json!([of("cores", "Gt", &["63"])])) && holds(json!([of("cores", "Lt", &["65"])])));
        assert!(
            holds(json!([of("rack", "DoesNotExist", &[])])) && holds(json!([of("rack", "NotIn", &["x"])]))
        );
        assert!(holds(json!([of("zone", "Exists", &[])])));
        assert!(!holds(json!([of("zone", "Gt", &["1"])])) && !holds(json!([of("zone", "Like", &["a"])])));
        assert!(!holds(json!([])) && !holds(json!([{}])));
        let both = json!([{
            "matchExpressions": [{"key": "zone", "operator": "Exists", "values": null}],
            "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}],
        }]);
        assert!(!holds(both));
    }

    #[test]
    fn a_toleration_covers_what_it_names() {
        let taint =
            Taint { key: "gpu".to_owned(), value: Some("yes".to_owned()), effect: "NoSchedule".to_owned() };
        let covers = |toleration| serde_json::from_value::<Toleration>(toleration).unwrap().covers(&taint);
        assert!(covers(json!({"operator": "Exists"})) && covers(json!({"key": "gpu", "operator": "Exists"})));
        assert!(covers(json!({"key": "gpu", "value": "yes", "effect": "NoSchedule"})));
        assert!(!covers(json!({"key": "gpu"})) && !covers(json!({"key": "gpu", "value": "no"})));
        assert!(!covers(json!({"key": "gpu", "operator": "Exists", "effect": "NoExecute"})));
        assert!(!covers(json!({"key": "gpu", "operator": "Lt", "value": "yes"})) && !covers(json!({})));
    }
}
