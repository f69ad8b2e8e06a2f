//! What kubelet has recorded about devices: the only place that says whose an answer to `Allocate` is.
//!
//! The format is that of kubelet 1.20 and later (`pkg/kubelet/cm/devicemanager/checkpoint`): JSON with one entry for each pod,
//! container and resource, and in it the answer as kubelet received it. What this program does not know is skipped. The checksum
//! covers a rendering of Go's own and is not checked: that the file is replaced by rename, and is JSON to its end, has to do.
//!
//! Kubelet removes entries of pods that are gone before it gives their devices away and writes the file after it has, so
//! no two pods ever hold one id here. A container's entry stays until its pod is gone.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use prost::Message;
use serde::Deserialize;

use crate::cdi;
use crate::identity::token::Token;
use crate::links;
use crate::proto::deviceplugin::ContainerAllocateResponse;

/// The file's name in kubelet's directory of plugins.
pub const FILE: &str = "kubelet_internal_checkpoint";

/// How often a file that makes no sense is read again, and how long after.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(40);

/// Devices of one resource that one container holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Whose pod.
    pub pod_uid: String,
    /// Which of its containers, init containers included.
    pub container: String,
    /// The ids of the devices.
    pub ids: BTreeSet<String>,
    /// What `Allocate` answered; `None` when that was not an answer of this program.
    pub token: Option<Token>,
}

/// The checkpoint cannot be used now.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The system does not give it.
    #[error("kubelet's checkpoint {}: {source}", .path.display())]
    Io {
        /// Where it should be.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is not what kubelet writes.
    #[error("kubelet's checkpoint {}: {fault}", .path.display())]
    Malformed {
        /// Where it is.
        path: PathBuf,
        /// What is wrong.
        fault: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Written {
    data: WrittenData,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct WrittenData {
    /// Go writes an empty list as `null`.
    pod_device_entries: Option<Vec<WrittenEntry>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct WrittenEntry {
    #[serde(rename = "PodUID")]
    pod_uid: String,
    container_name: String,
    resource_name: String,
    /// By NUMA node, −1 where there is none.
    #[serde(rename = "DeviceIDs")]
    device_ids: Option<BTreeMap<String, Option<Vec<String>>>>,
    alloc_resp: Option<String>,
}

/// The entries of `resource` in the text of a checkpoint.
///
/// # Errors
/// What is wrong with it.
pub fn decode(text: &[u8], resource: &str) -> Result<Vec<Entry>, serde_json::Error> {
    let written: Written = serde_json::from_slice(text)?;
    let entries = written.data.pod_device_entries.unwrap_or_default();
    Ok(entries.into_iter().filter(|entry| entry.resource_name == resource).map(Entry::from).collect())
}

impl From<WrittenEntry> for Entry {
    fn from(written: WrittenEntry) -> Self {
        let ids = written.device_ids.unwrap_or_default().into_values().flatten().flatten();
        Self {
            pod_uid: written.pod_uid,
            container: written.container_name,
            ids: ids.collect(),
            token: written.alloc_resp.as_deref().and_then(token),
        }
    }
}

/// The one token in an answer.
fn token(answer: &str) -> Option<Token> {
    let bytes = STANDARD.decode(answer).ok()?;
    let answer = ContainerAllocateResponse::decode(bytes.as_slice()).ok()?;
    let devices = answer.cdi_devices.iter().filter_map(|device| cdi::token_in(&device.name));
    let mounts = answer.mounts.iter().filter_map(|mount| links::token_in(&mount.host_path));
    let mut tokens: Vec<Token> = devices.chain(mounts.take(1)).collect();
    let token = tokens.pop()?;
    tokens.is_empty().then_some(token)
}

/// Reads the entries of `resource` in the file at `path`, again when it is just being made or changed.
///
/// # Errors
/// [`CheckpointError`] when it stays unusable.
pub async fn read(path: &Path, resource: &str) -> Result<Vec<Entry>, CheckpointError> {
    let mut attempt = 1;
    loop {
        match read_once(path, resource) {
            Err(_) if attempt < ATTEMPTS => tokio::time::sleep(PAUSE).await,
            result => return result,
        }
        attempt += 1;
    }
}

fn read_once(path: &Path, resource: &str) -> Result<Vec<Entry>, CheckpointError> {
    let text = std::fs::read(path).map_err(|source| CheckpointError::Io { path: path.to_owned(), source })?;
    decode(&text, resource)
        .map_err(|error| CheckpointError::Malformed { path: path.to_owned(), fault: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::deviceplugin::CdiDevice;
    use proptest::prelude::*;

    const RESOURCE: &str = "nvidia.com/vgpu-number";
    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn answer(devices: &[&str]) -> String {
        let cdi_devices = devices.iter().map(|name| CdiDevice { name: (*name).to_owned() }).collect();
        STANDARD.encode(ContainerAllocateResponse { cdi_devices, ..Default::default() }.encode_to_vec())
    }

    fn checkpoint(answer: &str) -> String {
        format!(
            r#"{{"Data":{{"PodDeviceEntries":[
                {{"PodUID":"u1","ContainerName":"main","ResourceName":"{RESOURCE}",
                  "DeviceIDs":{{"-1":["a::0"],"1":["b::3","a::1"]}},"AllocResp":"{answer}","New":[1]}},
                {{"PodUID":"u1","ContainerName":"main","ResourceName":"other.org/thing","DeviceIDs":{{"0":["x"]}},"AllocResp":"!"}}
              ],"RegisteredDevices":{{"{RESOURCE}":["a::0"]}},"Later":1}},"Checksum":7}}"#
        )
    }

    #[test]
    fn entries_of_the_resource_are_read_and_what_is_unknown_is_skipped() {
        let text = checkpoint(&answer(&["other.org/thing=1", &format!("vgpu.io/slice={TOKEN}")]));
        let entries = decode(text.as_bytes(), RESOURCE).unwrap();
        let expected = Entry {
            pod_uid: "u1".to_owned(),
            container: "main".to_owned(),
            ids: ["a::0", "a::1", "b::3"].map(str::to_owned).into(),
            token: Some(TOKEN.parse().unwrap()),
        };
        assert_eq!(entries, [expected]);
    }

    #[test]
    fn an_answer_that_is_not_ours_has_no_token() {
        let ours = format!("vgpu.io/slice={TOKEN}");
        for answer in [answer(&[]), answer(&["nvidia.com/gpu=0"]), answer(&[&ours, &ours]), "/w==".to_owned()]
        {
            assert_eq!(decode(checkpoint(&answer).as_bytes(), RESOURCE).unwrap()[0].token, None, "{answer}");
        }
    }

    #[test]
    fn nothing_is_recorded_as_null() {
        let text = r#"{"Data":{"PodDeviceEntries":null,"RegisteredDevices":{}},"Checksum":1}"#;
        assert_eq!(decode(text.as_bytes(), RESOURCE).unwrap(), []);
    }

    #[tokio::test]
    async fn a_torn_file_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let whole = checkpoint(&answer(&[&format!("vgpu.io/slice={TOKEN}")]));
        std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        let reader = read(&path, RESOURCE);
        let writer = async {
            tokio::time::sleep(PAUSE / 2).await;
            std::fs::write(&path, &whole).unwrap();
        };
        let (entries, ()) = tokio::join!(reader, writer);
        assert_eq!(entries.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn what_stays_wrong_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        assert!(matches!(read(&path, RESOURCE).await, Err(CheckpointError::Io { .. })));
        std::fs::write(&path, "{").unwrap();
        let error = read(&path, RESOURCE).await.unwrap_err().to_string();
        assert!(error.starts_with(&format!("kubelet's checkpoint {}: ", path.display())), "{error}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text: Vec<u8>, answer: String) {
            let _ = (decode(&text, RESOURCE), token(&answer));
        }
    }
}
