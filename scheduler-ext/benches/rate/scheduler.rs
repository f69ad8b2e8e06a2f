//! kube-scheduler, with the extender beside it or nobody.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use contract::resources::{Domain, NameStyle, ResourceNames};
use kube_harness::kubectl;
use kube_harness::product::chart;
use serde_json::json;

use crate::extender::Extender;

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
        let file = folder.join("kube-scheduler.yaml");
        fs::write(&file, configuration(name, beside, sample)?).context("cannot write")?;
        let mut command = Command::new("kube-scheduler");
        command.arg(format!("--config={}", file.display())).args(["--leader-elect=false", "--secure-port=0"]);
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

/// What the chart gives it, or what is left of that without the extender; and a client that never waits for its turn.
fn configuration(name: &str, beside: Beside, sample: Sample) -> Result<String> {
    let configuration = match beside {
        Beside::Nobody => alone(name),
        Beside::Extender => of_chart(name, sample)?,
    };
    let kubeconfig = std::env::var("KUBECONFIG").context("KUBECONFIG")?;
    // JSON is YAML as well.
    let client = json!({"kubeconfig": kubeconfig, "qps": 10_000, "burst": 20_000});
    Ok(format!("{configuration}\nclientConnection: {client}\n"))
}

fn of_chart(name: &str, sample: Sample) -> Result<String> {
    let percentage = match sample {
        Sample::All => 100,
        Sample::Default => 0,
    };
    let values = json!({"scheduler": {"name": name, "percentageOfNodesToScore": percentage}});
    let object = chart::helm(&["template", "--show-only=templates/scheduler/configmap.yaml"], &values);
    let read = ["create", "--dry-run=client", "--output=jsonpath={.data.config\\.yaml}", "--filename=-"];
    kubectl(&read, &object).map_err(anyhow::Error::msg)
}

/// Without the extender nobody counts memory and cores, and the pods are to be the same.
fn alone(name: &str) -> String {
    let ResourceNames { memory, memory_percentage, cores, .. } = Domain::default().resources(NameStyle::Vgpu);
    let ignored = json!({"ignoredResources": [memory, memory_percentage, cores]});
    let profile =
        json!({"schedulerName": name, "pluginConfig": [{"name": "NodeResourcesFit", "args": ignored}]});
    format!(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n\
         percentageOfNodesToScore: 100\nprofiles: [{profile}]"
    )
}
