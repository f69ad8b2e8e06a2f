//! Whether what we write for a container reaches it: kubelet has to pass the names of CDI devices on, and the container runtime to
//! look for what they mean. One that has CDI switched off says nothing and creates the container without them.
//!
//! The runtime itself is asked where its socket can be reached. Else versions have to do: containerd has CDI from 1.7 on, and
//! switched on from 2.0 on; CRI-O has it switched on; kubelet passes on what device plugins name from 1.29 on.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Duration;

use daemon::http::pages::State;
use k8s_openapi::api::core::v1::Node;
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::timeout;
use tonic::transport::Endpoint;

use crate::metrics::conditions::Condition;
use crate::proto::cri::StatusRequest;
use crate::proto::cri::runtime_service_client::RuntimeServiceClient;

/// Between two looks: a runtime that is configured otherwise is one that was started anew.
const PAUSE: Duration = Duration::from_secs(30);

/// Within this, a runtime answers.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// The first version of kubelet that passes on the CDI devices of device plugins unless it is told not to.
const KUBELET: (u32, u32) = (1, 29);

/// The first versions of runtimes that have CDI switched on unless they are told not to.
const SWITCHED_ON: [(&str, (u32, u32)); 2] = [("containerd", (2, 0)), ("cri-o", (1, 28))];

/// What the node's software is, as the API server has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Software {
    /// As in `v1.36.3`.
    pub kubelet: String,
    /// As in `containerd://1.7.24`.
    pub runtime: String,
}

/// What the runtime says of itself, as far as it does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Told {
    /// Is CDI switched on?
    #[serde(rename = "enableCDI")]
    pub is_on: Option<bool>,
    /// Where it looks for specs.
    #[serde(rename = "cdiSpecDirs")]
    pub directories: Option<Vec<PathBuf>>,
}

/// Looks, over and over, and says in `condition` whether CDI specs in `directory` reach containers. Asks the runtime at the first of
/// `sockets` that is there.
pub async fn follow(
    mut node: watch::Receiver<Option<Node>>,
    sockets: &[PathBuf],
    directory: &Path,
    condition: &Condition,
) -> Infallible {
    loop {
        let told = ask_first(sockets).await;
        let software = node.borrow_and_update().as_ref().map(Software::of);
        let is_known = software.is_some();
        condition.set(software.map_or_else(
            || Err("the API server has not told of this node yet".to_owned()),
            |software| judge(&software, &told, directory),
        ));
        match is_known {
            true => tokio::time::sleep(PAUSE).await,
            // Its sender is gone when the agent ends.
            false => drop(timeout(PAUSE, node.changed()).await),
        }
    }
}

impl Software {
    fn of(node: &Node) -> Self {
        let info = node.status.as_ref().and_then(|status| status.node_info.as_ref());
        info.map_or_else(Self::default, |info| Self {
            kubelet: info.kubelet_version.clone(),
            runtime: info.container_runtime_version.clone(),
        })
    }
}

/// Whether specs in `directory` reach containers; else why not, and what to do.
///
/// # Errors
/// They do not, or nobody can tell.
pub fn judge(software: &Software, told: &Told, directory: &Path) -> State {
    let Software { kubelet, runtime } = software;
    let version = numbers(kubelet.trim_start_matches('v'));
    if version.is_some_and(|version| version < KUBELET) {
        return Err(format!(
            "kubelet {kubelet} does not pass on the CDI devices of device plugins: 1.29 and later do, and 1.28 with its gate \
             DevicePluginCDIDevices; --cdi=assume where that is open"
        ));
    }
    match told.is_on {
        Some(false) => Err(format!(
            "{runtime} has CDI switched off: set enable_cdi = true in its configuration, and start it anew"
        )),
        Some(true) => is_read(told, directory),
        None => by_version(runtime).and_then(|()| is_read(told, directory)),
    }
}

/// Whether the runtime looks into `directory`, if it has said where it looks.
fn is_read(told: &Told, directory: &Path) -> State {
    let Some(directories) = &told.directories else { return Ok(()) };
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if directories.iter().any(|read| real(read) == real(directory)) {
        return Ok(());
    }
    let directories: Vec<_> = directories.iter().map(|path| path.display().to_string()).collect();
    Err(format!(
        "the container runtime looks for CDI specs in {}, not in {}: one of the first for --cdi-dir",
        directories.join(", "),
        directory.display()
    ))
}

fn by_version(runtime: &str) -> State {
    let (name, text) = runtime.split_once("://").unwrap_or((runtime, ""));
    let first = SWITCHED_ON.iter().find(|(known, _)| *known == name).map(|(_, first)| *first);
    match (first, numbers(text)) {
        (Some(first), Some(version)) if version >= first => Ok(()),
        (Some(_), Some((1, 7))) if name == "containerd" => Err(format!(
            "{runtime} has CDI switched off unless it is configured (enable_cdi = true), and cannot be asked: make its socket \
             reachable (--runtime-sockets), or say --cdi=assume"
        )),
        (Some(_), Some(_)) => Err(format!("{runtime} has no CDI: containerd 1.7 and later have")),
        _ => Err(format!("{runtime:?} is not known to have CDI: --cdi=assume if it has")),
    }
}

/// Major and minor number.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split(['.', '-', '+']).map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

/// What the runtime at the first socket that is there says; nothing where none answers.
async fn ask_first(sockets: &[PathBuf]) -> Told {
    let Some(socket) = sockets.iter().find(|socket| socket.exists()) else { return Told::default() };
    let answer = timeout(ANSWER_WITHIN, ask(socket)).await;
    answer.unwrap_or_else(|_| Err("it does not answer".to_owned())).unwrap_or_else(|fault| {
        tracing::debug!(socket = %socket.display(), fault, "the container runtime cannot be asked");
        Told::default()
    })
}

async fn ask(socket: &Path) -> Result<Told, String> {
    let endpoint = Endpoint::from_shared(format!("unix://{}", socket.display()));
    let channel = endpoint.map_err(|error| error.to_string())?.connect().await;
    let mut client = RuntimeServiceClient::new(channel.map_err(|error| error.to_string())?);
    let answer = client.status(StatusRequest { verbose: true }).await;
    let info = answer.map_err(|status| status.message().to_owned())?.into_inner().info;
    // CRI-O's has nothing about CDI in it.
    let config = info.get("config").ok_or_else(|| "it does not tell its configuration".to_owned())?;
    serde_json::from_str(config).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(kubelet: &str, runtime: &str, told: &Told) -> String {
        let software = Software { kubelet: kubelet.to_owned(), runtime: runtime.to_owned() };
        judge(&software, told, Path::new("/var/run/cdi")).err().unwrap_or_default()
    }

    fn told(is_on: bool, directories: &[&str]) -> Told {
        let text = serde_json::json!({"enableCDI": is_on, "cdiSpecDirs": directories, "other": 1});
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn a_runtime_that_can_be_asked_is_believed() {
        let both = ["/etc/cdi", "/var/run/cdi"];
        assert_eq!(said("v1.36.3", "containerd://1.7.24", &told(true, &both)), "");
        let off = said("v1.36.3", "containerd://2.1.0", &told(false, &both));
        assert!(off.starts_with("containerd://2.1.0 has CDI switched off: set enable_cdi = true"), "{off}");
        let elsewhere = said("v1.36.3", "containerd://1.7.24", &told(true, &["/etc/cdi"]));
        assert!(elsewhere.contains("looks for CDI specs in /etc/cdi, not in /var/run/cdi"), "{elsewhere}");
    }

    #[test]
    fn without_an_answer_versions_have_to_do() {
        let nothing = Told::default();
        for good in ["containerd://2.0.0", "containerd://2.1.4-k3s1", "cri-o://1.30.0"] {
            assert_eq!(said("v1.29.0", good, &nothing), "", "{good}");
        }
        for (runtime, reason) in [
            ("containerd://1.7.24", "cannot be asked"),
            ("containerd://1.6.20~ds1", "has no CDI"),
            ("docker://26.1.0", "is not known to have CDI"),
            ("", "is not known to have CDI"),
        ] {
            let said = said("v1.36.3", runtime, &nothing);
            assert!(said.contains(reason), "{runtime}: {said}");
        }
    }

    #[test]
    fn a_kubelet_that_does_not_pass_devices_on_is_named() {
        let old = said("v1.28.5+k3s1", "containerd://2.0.0", &told(true, &["/var/run/cdi"]));
        assert!(old.starts_with("kubelet v1.28.5+k3s1 does not pass on"), "{old}");
        assert_eq!(said("v2.0.0", "containerd://2.0.0", &Told::default()), "");
    }

    #[tokio::test]
    async fn a_runtime_that_is_not_there_has_said_nothing() {
        assert_eq!(ask_first(&[PathBuf::from("/nowhere/runtime.sock")]).await, Told::default());
    }
}
