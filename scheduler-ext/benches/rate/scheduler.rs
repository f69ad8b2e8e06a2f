//! kube-scheduler, with the extender beside it or nobody.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use contract::resources::{Domain, NameStyle};
use serde_json::{Value, json};

use crate::extender::{ADDRESS, Extender};

/// Who helps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// It counts vgpu-number and nothing else.
    Nobody,
    /// The extender.
    Extender,
}

/// How many nodes it looks at for a pod.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sample {
    /// All, as the chart sets it.
    All,
    /// As many as it does by itself.
    Default,
}

/// A scheduler that runs. It ends when this is dropped.
pub(crate) struct Scheduler {
    process: Child,
    pub(crate) extender: Option<Extender>,
}

impl Scheduler {
    /// Starts it for pods that name `name`, with its files in `folder`.
    pub(crate) async fn start(folder: &Path, name: &str, beside: Beside, sample: Sample) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let extender = match beside {
            Beside::Nobody => None,
            Beside::Extender => Some(Extender::start(folder, sample).await?),
        };
        let file = folder.join("kube-scheduler.json");
        fs::write(&file, configuration(name, beside, sample)?.to_string()).context("cannot write")?;
        let mut command = Command::new("kube-scheduler");
        command.arg(format!("--config={}", file.display())).args(["--secure-port=0"]);
        let process = spawn(&mut command, folder.join("kube-scheduler.log"))?;
        Ok(Self { process, extender })
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

/// Starts a program that writes its log to a file.
pub(crate) fn spawn(command: &mut Command, log: PathBuf) -> Result<Child> {
    let log = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
    let errors = log.try_clone().context("cannot duplicate a file")?;
    let program = command.get_program().to_string_lossy().into_owned();
    let child = command.stdin(Stdio::null()).stdout(log).stderr(errors).spawn();
    child.with_context(|| format!("cannot start {program}"))
}

/// Ends a program.
pub(crate) fn end(process: &mut Child) {
    // It may have ended by itself.
    let _ = process.kill();
    let _ = process.wait();
}

/// What the chart gives it, but for the address.
fn configuration(name: &str, beside: Beside, sample: Sample) -> Result<Value> {
    let kubeconfig = std::env::var("KUBECONFIG").context("KUBECONFIG")?;
    let names = Domain::default().resources(NameStyle::Vgpu);
    let counts = |name: &String, is_ignored| json!({"name": name, "ignoredByScheduler": is_ignored});
    let uncounted = [&names.memory, &names.memory_percentage, &names.cores];
    let managed: Vec<Value> = std::iter::once(counts(&names.number, false))
        .chain(uncounted.map(|name| counts(name, true)))
        .collect();
    let extender = json!({
        "urlPrefix": format!("http://{ADDRESS}/scheduler"),
        "filterVerb": "filter", "prioritizeVerb": "prioritize", "bindVerb": "bind", "preemptVerb": "preempt",
        "weight": 20, "nodeCacheCapable": true, "ignorable": false,
        "httpTimeout": "30s", "managedResources": managed,
    });
    // Without the extender nobody counts memory and cores, and the pods are to be the same.
    let ignored = json!({"name": "NodeResourcesFit", "args": {"ignoredResources": uncounted}});
    Ok(json!({
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": kubeconfig, "qps": 10_000, "burst": 20_000},
        "leaderElection": {"leaderElect": false},
        "percentageOfNodesToScore": match sample { Sample::All => 100, Sample::Default => 0 },
        "profiles": [{"schedulerName": name, "pluginConfig": [ignored]}],
        "extenders": if beside == Beside::Extender { vec![extender] } else { Vec::new() },
    }))
}
