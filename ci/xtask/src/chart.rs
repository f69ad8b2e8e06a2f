//! The chart in `deploy/vgpu`: linted, rendered, and what was rendered for people without helm compared.

use crate::command::Run;
use crate::kube;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const CHART: &str = "deploy/vgpu";
/// Files of values with which it has to be right as well.
const VALUES: &str = "deploy/vgpu/ci";
/// What is rendered with the values as they are.
const MANIFESTS: &str = "deploy/manifests/vgpu.yaml";
const INTRODUCTION: &str = "# Rendered from deploy/vgpu by `cargo xtask chart --write`.\n";

/// The name and the namespace under which the documentation has it.
const INSTALLED_AS: [&str; 3] = ["vgpu", "--namespace", "vgpu-system"];

/// The cluster for which the manifests are: the one that all is tested on.
const KUBERNETES: [&str; 2] = ["--kube-version", "1.36.3"];

/// Clusters that have less: without policies, and without conditions of webhooks.
const OLDER: [&str; 2] = ["1.29.0", "1.25.0"];

/// Names of releases that are no beginnings of names of Services: helm takes them.
const RELEASES: [&str; 3] =
    ["1.vgpu", "gpus.of-team-a", "a-name-as-long-as-those-of-releases-may-be-by-53-byte"];

/// The longest name of a Service.
const LONGEST: usize = 63;

/// Values that make no sense, and what the refusal names.
const REFUSED: [(&str, &str); 16] = [
    ("featureGates.CorePlugins=true", "CorePlugins"),
    ("claims.form=volcano", "/claims/form"),
    ("driver.from=nowhere", "/driver/from"),
    ("config.version=2", "/config/version"),
    ("config.default.splitcount=3", "splitcount"),
    ("leave.force=true", "/leave/enabled"),
    ("log.level=verbose", "/log/level"),
    ("metrics.port=0", "/metrics/port"),
    ("resourceNames=volcano", "/resourceNames"),
    ("claims.form=vgpu-manager", "/scheduler/enabled"),
    ("scheduler.name=default-scheduler", "/scheduler/name"),
    ("scheduler.replicas=0", "/scheduler/replicas"),
    ("scheduler.metrics.port=10259", "/scheduler/metrics/port"),
    ("scheduler.webhook.port=3456", "/scheduler/webhook/port"),
    ("scheduler.webhook.port=9395", "scheduler.metrics.port"),
    ("scheduler.podLabels.app\\.kubernetes\\.io/name=x", "/scheduler/podLabels"),
];

/// Fails when the chart is not right, or the manifests are not what it says; with `--write`, writes these.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let chart = Chart { helm: kube::helm(workspace)?, root: workspace.root().to_owned() };
    let manifests = format!("{INTRODUCTION}{}", chart.render(&KUBERNETES.map(str::to_owned))?);
    let path = workspace.root().join(MANIFESTS);
    if arguments == ["--write"] {
        return fs::write(&path, manifests).with_context(|| format!("cannot write {MANIFESTS}"));
    }
    chart.lint(&[])?;
    let files = chart.files()?;
    for file in &files {
        let values = ["--values".to_owned(), file.display().to_string()];
        chart.lint(&values)?;
        chart.render(&values).with_context(|| format!("{}", file.display()))?;
    }
    for version in OLDER {
        let values = ["--kube-version".to_owned(), version.to_owned()];
        chart.lint(&values)?;
        chart.render(&values).with_context(|| format!("Kubernetes {version}"))?;
    }
    for release in RELEASES {
        chart.names_services(release)?;
    }
    for (value, named) in REFUSED {
        chart.refuses(value, named)?;
    }
    if fs::read_to_string(&path).ok() != Some(manifests) {
        bail!("{MANIFESTS} is not what the chart says; run `cargo xtask chart --write`");
    }
    println!("chart: right with {} files of values, and {MANIFESTS} is what it says", files.len() + 1);
    Ok(())
}

struct Chart {
    helm: PathBuf,
    root: PathBuf,
}

impl Chart {
    /// The files of values, in the order of their names.
    fn files(&self) -> Result<Vec<PathBuf>> {
        let entries =
            fs::read_dir(self.root.join(VALUES)).with_context(|| format!("cannot list {VALUES}"))?;
        let mut files = entries
            .map(|entry| Ok(Path::new(VALUES).join(entry?.file_name())))
            .collect::<Result<Vec<_>>>()?;
        files.sort();
        Ok(files)
    }

    fn lint(&self, values: &[String]) -> Result<()> {
        Run::new(&self.helm).args(["lint", "--strict", "--quiet", CHART]).args(values).dir(&self.root).run()
    }

    fn render(&self, values: &[String]) -> Result<String> {
        let [name, rest @ ..] = INSTALLED_AS;
        Run::new(&self.helm).args(["template", name, CHART]).args(rest).args(values).dir(&self.root).stdout()
    }

    /// Fails unless Services of this release have names that API servers take.
    fn names_services(&self, release: &str) -> Result<()> {
        let rendered = Run::new(&self.helm).args(["template", release, CHART]).dir(&self.root).stdout()?;
        let services = rendered.split("\n---\n").filter(|object| object.contains("\nkind: Service\n"));
        let names: Vec<&str> = services
            .filter_map(|object| object.lines().find_map(|line| line.strip_prefix("  name: ")))
            .collect();
        let is_taken = |name: &str| {
            let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            name.starts_with(|first: char| first.is_ascii_lowercase())
                && name.len() <= LONGEST
                && name.bytes().all(is_plain)
        };
        match names.iter().find(|name| !is_taken(name)) {
            Some(name) => bail!("release {release}: no API server takes a Service {name}"),
            None if names.is_empty() => bail!("release {release}: it has no Services"),
            None => Ok(()),
        }
    }

    /// Fails unless this value is refused by a message that names what is wrong.
    fn refuses(&self, value: &str, named: &str) -> Result<()> {
        let mut helm = Command::new(&self.helm);
        helm.args(["template", "x", CHART, "--set", value]).current_dir(&self.root);
        let output = helm.output().context("cannot start helm")?;
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.success() || !said.contains(named) {
            bail!("{value}: it is not refused by a message that names {named}: {said}");
        }
        Ok(())
    }
}
