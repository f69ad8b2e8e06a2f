//! The driver's own CDI specs: what a container needs to use a GPU at all.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use contract::Uuid;
use rustix::fs::{Mode, OFlags, open};

use super::spec::{Device, Edits, Spec};

/// The kind under which NVIDIA's tools describe GPUs.
pub const DRIVER_KIND: &str = "nvidia.com/gpu";

/// A file that is longer is no spec.
const MOST: u64 = 4 << 20;

/// What the driver says that a container with certain GPUs gets.
#[derive(Clone, Debug, PartialEq)]
pub struct DriverEdits {
    /// The newest version of the format among the specs that they are from.
    pub version: String,
    /// Those of each GPU and of each spec.
    pub edits: Vec<Edits>,
}

/// A GPU, as a container is to get it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedGpu {
    /// Its identity.
    pub uuid: Uuid,
    /// Its place in NVML's order, for specs that have no UUIDs.
    pub index: Option<u32>,
}

/// No spec describes a GPU.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no CDI spec of kind {DRIVER_KIND} in {dirs} describes {uuid}; make one, for example with `nvidia-ctk cdi generate \
     --device-name-strategy=uuid --output=/etc/cdi/nvidia.yaml`"
)]
pub struct NoSpec {
    uuid: Uuid,
    dirs: String,
}

/// The specs of GPUs in these directories. What cannot be read is logged and skipped: it may be another vendor's.
#[must_use]
pub fn specs(dirs: &[PathBuf]) -> Vec<Spec> {
    let mut specs = Vec::new();
    for dir in dirs {
        let Ok(entries) = std::fs::read_dir(dir) else { continue };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            match read(&path) {
                Ok(Some(spec)) if spec.kind == DRIVER_KIND => specs.push(spec),
                Ok(_) => {}
                Err(fault) => tracing::warn!(path = %path.display(), fault, "a CDI spec cannot be read"),
            }
        }
    }
    specs
}

/// `None`: it is not even named like a spec.
fn read(path: &Path) -> Result<Option<Spec>, String> {
    let is_json = match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => true,
        Some("yaml" | "yml") => false,
        _ => return Ok(None),
    };
    let text = text(path)?;
    let spec = if is_json {
        serde_json::from_str(&text).map_err(|error| error.to_string())
    } else {
        serde_saphyr::from_str(&text).map_err(|error| error.to_string())
    };
    spec.map(Some)
}

/// What the file at `path` says. Not waited for: what looks like a spec may be a pipe that nobody writes into.
fn text(path: &Path) -> Result<String, String> {
    let said = |error: std::io::Error| error.to_string();
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = open(path, flags, Mode::empty()).map(File::from).map_err(|error| said(error.into()))?;
    if !file.metadata().map_err(said)?.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut text = String::new();
    let length = file.take(MOST + 1).read_to_string(&mut text).map_err(said)?;
    let is_short = u64::try_from(length).is_ok_and(|length| length <= MOST);
    is_short.then_some(text).ok_or_else(|| "it is too long".to_owned())
}

/// What `specs`, which are from `dirs`, say about `gpus`. Of two that describe one GPU the later one counts, as CDI wants it.
///
/// # Errors
/// [`NoSpec`] when nothing describes one of them.
pub fn edits(specs: &[Spec], gpus: &[WantedGpu], dirs: &[PathBuf]) -> Result<DriverEdits, NoSpec> {
    let mut found = DriverEdits { version: String::new(), edits: Vec::new() };
    let mut used = Vec::new();
    for gpu in gpus {
        let described = specs.iter().enumerate().rev();
        let mut described = described.filter_map(|(at, spec)| Some((at, spec, device(spec, gpu)?)));
        let Some((at, spec, device)) = described.next() else {
            let dirs: Vec<String> = dirs.iter().map(|dir| dir.display().to_string()).collect();
            return Err(NoSpec { uuid: gpu.uuid, dirs: dirs.join(", ") });
        };
        if !used.contains(&at) {
            used.push(at);
            found.edits.push(spec.container_edits.clone());
            found.version = newer(&found.version, &spec.cdi_version);
        }
        found.edits.push(device.container_edits.clone());
    }
    Ok(found)
}

/// By UUID; by index only where a spec names no GPU by its UUID, since indices move when a GPU is lost.
fn device<'a>(spec: &'a Spec, gpu: &WantedGpu) -> Option<&'a Device> {
    let has_uuids = spec.devices.iter().any(|device| device.name.parse::<Uuid>().is_ok());
    if has_uuids {
        return spec.devices.iter().find(|device| device.name.parse() == Ok(gpu.uuid));
    }
    let index = gpu.index?.to_string();
    spec.devices.iter().find(|device| device.name == index)
}

fn newer(one: &str, other: &str) -> String {
    let key =
        |version: &str| -> Vec<u32> { version.split('.').map(|part| part.parse().unwrap_or(0)).collect() };
    if key(one) >= key(other) { one.to_owned() } else { other.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const A: &str = "GPU-00000000-0000-0000-0000-00000000000a";
    const B: &str = "GPU-00000000-0000-0000-0000-00000000000b";

    fn wanted(uuid: &str, index: u32) -> WantedGpu {
        WantedGpu { uuid: uuid.parse().unwrap(), index: Some(index) }
    }

    fn yaml(first: &str, second: &str) -> String {
        format!(
            "---\ncdiVersion: 0.5.0\nkind: nvidia.com/gpu\ndevices:\n- name: \"{first}\"\n  containerEdits:\n    deviceNodes:\n    \
             - path: /dev/nvidia0\n      hostPath: /drv/dev/nvidia0\n- name: \"{second}\"\n  containerEdits:\n    deviceNodes:\n    \
             - path: /dev/nvidia1\ncontainerEdits:\n  env:\n  - NVIDIA_VISIBLE_DEVICES=void\n  mounts:\n  - hostPath: /h\n    \
             containerPath: /c\n    options: [ro, nosuid]\n  additionalGids:\n  - 44\n"
        )
    }

    fn found(files: &[(&str, &str)], gpus: &[WantedGpu]) -> Result<DriverEdits, NoSpec> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let dirs = [folder.path().to_owned(), folder.path().join("missing")];
        edits(&specs(&dirs), gpus, &dirs)
    }

    fn nodes(edits: &DriverEdits) -> Vec<&str> {
        edits.edits.iter().flat_map(|edits| &edits.device_nodes).map(|node| node.path.as_str()).collect()
    }

    #[test]
    fn gpus_are_found_by_uuid_and_the_specs_own_edits_come_once() {
        let edits = found(&[("nvidia.yaml", &yaml(A, B))], &[wanted(B, 0), wanted(A, 1)]).unwrap();
        assert_eq!(nodes(&edits), ["/dev/nvidia1", "/dev/nvidia0"]);
        assert_eq!(edits.edits.len(), 3);
        assert_eq!(edits.edits[0].other["additionalGids"], serde_json::json!([44]));
        assert_eq!(edits.edits[2].device_nodes[0].other["hostPath"], "/drv/dev/nvidia0");
        assert_eq!(edits.version, "0.5.0");
    }

    #[test]
    fn an_index_is_believed_only_where_there_are_no_uuids() {
        let by_index = found(&[("nvidia.yaml", &yaml("0", "1"))], &[wanted(B, 1)]).unwrap();
        assert_eq!(nodes(&by_index), ["/dev/nvidia1"]);
        let error = found(&[("nvidia.yaml", &yaml(A, "1"))], &[wanted(B, 1)]).unwrap_err().to_string();
        assert!(error.contains(B) && error.contains("nvidia-ctk cdi generate"), "{error}");
    }

    #[test]
    fn what_is_no_spec_of_gpus_hides_no_other() {
        let files = [
            ("a.yaml", "kind: ["),
            ("b.json", r#"{"cdiVersion":"0.6.0","kind":"other.org/gpu","devices":[{"name":"0"}]}"#),
            ("c.txt", "nothing"),
            ("d.yaml", &yaml("0", "1")),
        ];
        assert_eq!(nodes(&found(&files, &[wanted(A, 0)]).unwrap()), ["/dev/nvidia0"]);
        assert!(found(&files[..3], &[wanted(A, 0)]).is_err());
    }

    #[test]
    fn of_two_specs_the_later_counts() {
        let json = r#"{"cdiVersion":"0.6.0","kind":"nvidia.com/gpu","devices":[
            {"name":"0","containerEdits":{"deviceNodes":[{"path":"/dev/other"}]}}]}"#;
        let edits = found(&[("a.yaml", &yaml("0", "1")), ("b.json", json)], &[wanted(A, 0)]).unwrap();
        assert_eq!((nodes(&edits), edits.version.as_str()), (vec!["/dev/other"], "0.6.0"));
    }

    #[test]
    fn a_pipe_a_device_and_a_directory_that_are_named_like_specs_stop_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mode = Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, at("a.yaml"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("b.json")).unwrap();
        fs::create_dir(at("c.yaml")).unwrap();
        fs::write(at("d.yaml"), yaml(A, B)).unwrap();
        assert_eq!(specs(&[folder.path().to_owned()]).len(), 1);
    }
}
