//! The chart without its scheduler: who gives out slices in these tests is whom kubectl is.

use kube_harness::product::chart;
pub(crate) use kube_harness::product::chart::{RELEASE, SYSTEM, directory, helm, install, merge, render};
use serde_json::{Value, json};

use crate::agent;

/// Whom kubectl is.
const WRITER: &str = "admin";

/// What fits this cluster and these tests.
pub(crate) fn values() -> Value {
    let mut values = chart::values();
    merge(&mut values, &json!({"claims": {"writers": [WRITER]}, "scheduler": {"enabled": false}}));
    values
}

/// Removes what is installed, if anything is.
pub(crate) fn remove() {
    agent::forget();
    chart::remove(&values());
}
