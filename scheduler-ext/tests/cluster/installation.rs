//! How the product is installed, which is in one way at a time.

use std::path::Path;
use std::sync::{Mutex, Once, PoisonError};

use kube_harness::product::agent::{self, START, new_start, says_ready};
use kube_harness::product::tenant::NUMBER;
use kube_harness::product::{chart, image, installation};
use kube_harness::{kubectl, wait_until};
use serde_json::{Value, json};

use crate::clock;
use crate::site::{COMPONENT, FEW, FEW_SPLIT, NAMES, NODES, describe};
use crate::variant;

/// How many containers may share a card: more than memory lets.
const SPLIT: u32 = 100;

/// A way in which it is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// As for most tests, with two replicas of the scheduler.
    Usual,
    /// As for those of [`variant`]: one replica, whose clock can be moved, HAMi's names, and nothing that Kubernetes has had only
    /// since 1.30.
    Variant,
}

/// What is installed, and by which start.
#[derive(Clone, Debug)]
struct Installed {
    way: Way,
    start: String,
}

static INSTALLED: Mutex<Option<Installed>> = Mutex::new(None);

/// Installs it so, unless it is.
pub(crate) fn ensure(way: Way) {
    if installed().is_some_and(|installed| installed.way == way) {
        return;
    }
    static PREPARED: Once = Once::new();
    PREPARED.call_once(prepare);
    let start = new_start();
    way.install(&start);
    let agents = || (agent::ready(&start) == NODES.len()).then_some(());
    wait_until("the agents are ready", agents, describe);
    let offers = |node: &str| agent::offered_as(node, way.number()).is_some_and(|count| count > 0);
    wait_until("kubelets know the devices", || NAMES.into_iter().all(offers).then_some(()), describe);
    *INSTALLED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Installed { way, start });
}

fn installed() -> Option<Installed> {
    INSTALLED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Whether all replicas of the scheduler that is installed are ready, and none of another installation is left.
pub(crate) fn is_complete() -> bool {
    let Some(Installed { way, start }) = installed() else { return false };
    let pods = agent::pods_of(COMPONENT);
    let are_of_this = pods.iter().all(|pod| pod["metadata"]["annotations"][START] == start);
    are_of_this && pods.iter().filter(|pod| says_ready(pod)).count() == way.replicas()
}

/// Gives the nodes their cards and our images.
fn prepare() {
    let extender = Path::new(env!("CARGO_BIN_EXE_vgpu-scheduler-extender"));
    installation::prepare(&NODES, image::extender(extender, Some(clock::library())));
}

impl Way {
    const fn replicas(self) -> usize {
        match self {
            Self::Usual => 2,
            Self::Variant => 1,
        }
    }

    const fn number(self) -> &'static str {
        match self {
            Self::Usual => NUMBER,
            Self::Variant => variant::NUMBER,
        }
    }

    fn install(self, start: &str) {
        let mut values = chart::values_of(start);
        let ours = json!({
            "config": {"default": {"splitCount": SPLIT}, "nodes": {FEW: {"splitCount": FEW_SPLIT}}},
            "updateStrategy": {"rollingUpdate": {"maxUnavailable": NODES.len()}},
            "scheduler": {
                "replicas": self.replicas(),
                "extraArgs": ["--audit-interval=5"]
            },
        });
        chart::merge(&mut values, &ours);
        match self {
            Self::Usual => installation::install(&NAMES, &values, &[]),
            Self::Variant => install_variant(values),
        }
    }
}

/// What the chart makes for Kubernetes 1.29, and nothing of what it makes for this one.
fn install_variant(mut values: Value) {
    chart::merge(
        &mut values,
        &json!({
            "resourceNames": "hami",
            "log": {"level": clock::LOG_LEVEL},
            "scheduler": {"extraEnv": clock::variables()},
        }),
    );
    chart::apply(&chart::helm(&["template", "--kube-version=1.29.0"], &values));
    let ours = format!("--selector=app.kubernetes.io/instance={}", chart::RELEASE);
    let policies = "validatingadmissionpolicies,validatingadmissionpolicybindings";
    kubectl(&["delete", policies, &ours], "").unwrap_or_else(|error| panic!("{error}"));
}
