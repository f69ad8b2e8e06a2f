//! Starting a cluster.

use crate::folder::Folder;
use crate::service::Service;
use crate::{capabilities, cgroups, layout, namespaces, programs};
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long one step may take; most take a second, on a machine that has nothing else to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// How many nodes a cluster has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// One.
    One,
    /// Two, each with a container runtime and a kubelet of its own.
    Two,
}

/// How long a cluster lasts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifetime {
    /// Until it is taken down.
    UntilDown,
    /// As long as this process at most.
    OfThisProcess,
}

impl Size {
    /// The nodes' names.
    pub(crate) fn nodes(self) -> &'static [&'static str] {
        match self {
            Self::One => &["node-1"],
            Self::Two => &["node-1", "node-2"],
        }
    }
}

/// Starts a cluster and returns when pods can be made.
///
/// # Errors
/// One is up already, this process may not do what is needed, or something does not start; then nothing is left but logs.
pub fn up(folder: &Folder, size: Size, lifetime: Lifetime) -> Result<()> {
    capabilities::check()?;
    if namespaces::first_process(folder)?.is_some() {
        bail!("a cluster is up in {}; `cargo xtask kube down` ends it", folder.path().display());
    }
    programs::prepare()?;
    // What one that was killed may have left.
    crate::down(folder)?;
    if folder.logs().exists() {
        fs::remove_dir_all(folder.logs()).context("cannot remove old logs")?;
    }
    let started = Instant::now();
    let result = start(folder, size, lifetime);
    if let Err(error) = result {
        crate::down(folder)?;
        return Err(error);
    }
    println!(
        "the cluster is up after {:.1} s; logs are in {}",
        started.elapsed().as_secs_f64(),
        folder.logs().display()
    );
    println!(
        "`cargo xtask kube kubectl get pods -A` talks to it, `cargo xtask kube install` puts the product on it, \
        `cargo xtask kube down` ends it"
    );
    Ok(())
}

fn start(folder: &Folder, size: Size, lifetime: Lifetime) -> Result<()> {
    layout::write(folder, size)?;
    cgroups::make(folder, size.nodes())?;
    let first = spawn(folder, size, lifetime)?;
    let mut starting = Starting { folder, first, permitted: Vec::new() };
    starting.wait("the namespaces", || Ok(namespaces::first_process(folder)?.is_some()))?;
    starting.permit("control", &["etcd", "kube-apiserver"])?;
    if size == Size::Two {
        starting.permit("control", &["another-node"])?;
    }
    for node in size.nodes() {
        starting.permit(node, &["containerd"])?;
    }
    starting.wait("kube-apiserver", || Ok(kubectl(folder, &["get", "--raw", "/readyz"])?.is_some()))?;
    starting.permit("control", &["kube-controller-manager", "kube-scheduler"])?;
    for node in size.nodes() {
        starting.permit(node, &["kubelet"])?;
    }
    for node in size.nodes() {
        let ready = "jsonpath={.status.conditions[?(@.type=='Ready')].status}";
        let is_ready =
            || Ok(kubectl(folder, &["get", "node", node, "-o", ready])?.is_some_and(|said| said == "True"));
        starting.wait(node, is_ready)?;
    }
    // The last to appear, and no pod is accepted without it.
    starting
        .wait("service accounts", || Ok(kubectl(folder, &["get", "serviceaccount", "default"])?.is_some()))
}

/// Starts the first process, in namespaces of its own.
fn spawn(folder: &Folder, size: Size, lifetime: Lifetime) -> Result<Child> {
    let log = File::create(folder.logs().join("init.log")).context("cannot write init.log")?;
    let mut command = match lifetime {
        Lifetime::UntilDown => Command::new("setsid"),
        Lifetime::OfThisProcess => Command::new("setpriv"),
    };
    if lifetime == Lifetime::OfThisProcess {
        command.args(["--pdeathsig", "KILL"]);
    }
    command.args(["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"]);
    command.arg(std::env::current_exe().context("cannot tell which program this is")?);
    command.arg(folder.path()).args(["init", &size.nodes().len().to_string()]);
    command.env("PATH", programs::path()?).current_dir("/").stdin(Stdio::null());
    command.stdout(log.try_clone().context("cannot duplicate a file")?).stderr(log);
    command.spawn().context("cannot start the namespaces")
}

/// What kubectl says, when it succeeds.
fn kubectl(folder: &Folder, arguments: &[&str]) -> Result<Option<String>> {
    let words = [&["kubectl", "--request-timeout=5s"], arguments].concat();
    let output =
        namespaces::command(folder, &words)?.stdin(Stdio::null()).output().context("cannot start kubectl")?;
    Ok(output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// A cluster on its way.
struct Starting<'a> {
    folder: &'a Folder,
    /// `unshare`, which ends with the first process.
    first: Child,
    permitted: Vec<Service>,
}

impl Starting<'_> {
    fn permit(&mut self, group: &str, names: &[&str]) -> Result<()> {
        for name in names {
            let service = self.folder.service(group, name);
            service.permit()?;
            self.permitted.push(service);
        }
        Ok(())
    }

    /// Waits for something, unless a service ends meanwhile.
    fn wait(&mut self, what: &str, is_there: impl Fn() -> Result<bool>) -> Result<()> {
        let start = Instant::now();
        loop {
            self.check()?;
            if is_there()? {
                println!("{what}: {:.1} s", start.elapsed().as_secs_f64());
                return Ok(());
            }
            if start.elapsed() > PATIENCE {
                let tails: Vec<_> = self.permitted.iter().map(Service::log_tail).collect();
                bail!("no {what} after {} s\n{}", PATIENCE.as_secs(), tails.join("\n"));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Fails when something has ended.
    fn check(&mut self) -> Result<()> {
        if let Some(status) = self.first.try_wait().context("cannot watch the first process")? {
            let said = fs::read_to_string(self.folder.logs().join("init.log")).unwrap_or_default();
            bail!("the first process ended, {status}: {}", said.trim());
        }
        match self.permitted.iter().find(|service| !service.ends().is_empty()) {
            Some(ended) => bail!("{} ended: {}; {}", ended.name, ended.ends().join(", "), ended.log_tail()),
            None => Ok(()),
        }
    }
}
