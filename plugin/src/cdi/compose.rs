//! What a container gets: the driver's own edits for its GPUs, and ours.

use std::collections::BTreeSet;
use std::path::Path;

use contract::env::REGION;
use contract::paths;
use serde_json::Value;

use super::spec::{Device, Edits, Mount, Spec};
use super::{KIND, driver::DriverEdits};
use crate::identity::token::Token;

/// Files on the host that a container gets.
#[derive(Clone, Copy, Debug)]
pub struct SliceFiles<'a> {
    /// The directory with the limits page.
    pub limits_dir: &'a Path,
    /// The accounting region.
    pub region: &'a Path,
    /// The list of libraries that the dynamic linker loads first.
    pub preload: &'a Path,
    /// The library.
    pub library: &'a Path,
}

/// The first version of the format in which a device's name may begin with a digit, as tokens do.
const OLDEST_VERSION: (u32, u32) = (0, 5);

/// The spec of the device `token`.
#[must_use]
pub fn compose(token: Token, driver: &DriverEdits, files: &SliceFiles<'_>) -> Spec {
    let ours = own_edits(files);
    let mut edits = Edits::default();
    for driver in &driver.edits {
        add(&mut edits, driver.clone());
    }
    // Where both say something, what enforces the limits wins.
    let paths: BTreeSet<&str> = ours.mounts.iter().map(|mount| mount.container_path.as_str()).collect();
    edits.mounts.retain(|mount| !paths.contains(mount.container_path.as_str()));
    let names: BTreeSet<&str> = ours.env.iter().map(|variable| name_of(variable)).collect();
    edits.env.retain(|variable| !names.contains(name_of(variable)));
    add(&mut edits, ours.clone());
    Spec {
        cdi_version: version(&driver.version),
        kind: KIND.to_owned(),
        devices: vec![Device { name: token.to_string(), container_edits: edits }],
        container_edits: Edits::default(),
    }
}

/// The driver's version of the format, which its edits need, or the oldest that ours need.
fn version(driver: &str) -> String {
    let mut parts = driver.trim_start_matches('v').split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let (major, minor) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if (major, minor) < OLDEST_VERSION {
        format!("{}.{}.0", OLDEST_VERSION.0, OLDEST_VERSION.1)
    } else {
        driver.to_owned()
    }
}

fn own_edits(files: &SliceFiles<'_>) -> Edits {
    Edits {
        env: vec![
            format!("{REGION}={}", paths::CONTAINER_REGION),
            // For a runtime of NVIDIA's that listens to it: nothing beside what is here.
            "NVIDIA_VISIBLE_DEVICES=void".to_owned(),
        ],
        mounts: vec![
            bind(files.library, paths::CONTAINER_LIBRARY, &["ro", "nosuid", "nodev"]),
            bind(files.preload, paths::PRELOAD, &["ro", "nosuid", "nodev", "noexec"]),
            bind(files.limits_dir, paths::LIMITS_DIR, &["ro", "nosuid", "nodev", "noexec"]),
            bind(files.region, paths::CONTAINER_REGION, &["rw", "nosuid", "nodev", "noexec"]),
        ],
        ..Edits::default()
    }
}

fn bind(host: &Path, container: &str, options: &[&str]) -> Mount {
    Mount {
        host_path: host.display().to_string(),
        container_path: container.to_owned(),
        kind: None,
        options: options.iter().chain(&["bind"]).map(|&option| option.to_owned()).collect(),
    }
}

fn name_of(variable: &str) -> &str {
    variable.split('=').next().unwrap_or_default()
}

/// Adds what is not there yet: the GPUs of one container share most of what they need.
fn add(edits: &mut Edits, more: Edits) {
    add_new(&mut edits.env, more.env, |old, new| name_of(old) == name_of(new));
    add_new(&mut edits.device_nodes, more.device_nodes, |old, new| old.path == new.path);
    add_new(&mut edits.mounts, more.mounts, |old, new| old.container_path == new.container_path);
    add_new(&mut edits.hooks, more.hooks, |old, new| old == new);
    for (name, value) in more.other {
        match (edits.other.get_mut(&name), value) {
            (Some(Value::Array(old)), Value::Array(new)) => add_new(old, new, |old, new| old == new),
            (Some(_), _) => {}
            (None, value) => {
                edits.other.insert(name, value);
            }
        }
    }
}

fn add_new<T>(list: &mut Vec<T>, more: Vec<T>, is_same: impl Fn(&T, &T) -> bool) {
    for new in more {
        if !list.iter().any(|old| is_same(old, &new)) {
            list.push(new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn edits(value: Value) -> Edits {
        serde_json::from_value(value).unwrap()
    }

    fn composed(driver: Vec<Edits>, version: &str) -> Value {
        let files = SliceFiles {
            limits_dir: Path::new("/s/limits"),
            region: Path::new("/s/region"),
            preload: Path::new("/s/ld.so.preload"),
            library: Path::new("/l/libvgpu.so"),
        };
        let driver = DriverEdits { version: version.to_owned(), edits: driver };
        let token = "0123456789abcdef0123456789abcdef".parse().unwrap();
        serde_json::to_value(compose(token, &driver, &files)).unwrap()
    }

    #[test]
    fn the_drivers_edits_come_along_once_and_unknown_ones_too() {
        let gpu = |node: &str| {
            edits(json!({
                "deviceNodes": [{"path": node, "major": 195}, {"path": "/dev/nvidiactl"}],
                "mounts": [{"hostPath": "/h/libcuda.so.1", "containerPath": "/c/libcuda.so.1", "options": ["ro", "bind"]}],
                "hooks": [{"hookName": "createContainer", "path": "/usr/bin/nvidia-cdi-hook"}],
                "env": ["NVIDIA_VISIBLE_DEVICES=all", "X=1"],
                "additionalGids": [44],
                "intelRdt": {"closID": "a"}
            }))
        };
        let spec = composed(vec![gpu("/dev/nvidia0"), gpu("/dev/nvidia1")], "0.7.0");
        let got = &spec["devices"][0]["containerEdits"];
        let nodes: Vec<_> =
            got["deviceNodes"].as_array().unwrap().iter().map(|node| node["path"].clone()).collect();
        assert_eq!(nodes, ["/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia1"]);
        assert_eq!(got["deviceNodes"][0]["major"], 195);
        assert_eq!((got["hooks"].as_array().unwrap().len(), got["mounts"].as_array().unwrap().len()), (1, 5));
        assert_eq!(got["additionalGids"], json!([44]));
        assert_eq!(got["intelRdt"], json!({"closID": "a"}));
        let env =
            json!(["X=1", "CUDA_DEVICE_MEMORY_SHARED_CACHE=/etc/vgpu/region", "NVIDIA_VISIBLE_DEVICES=void"]);
        assert_eq!(got["env"], env);
        assert_eq!((&spec["kind"], &spec["cdiVersion"]), (&json!("vgpu.io/slice"), &json!("0.7.0")));
        assert_eq!(spec["devices"][0]["name"], "0123456789abcdef0123456789abcdef");
    }

    #[test]
    fn only_the_region_can_be_written_and_no_edit_of_the_driver_takes_our_place() {
        let hostile = edits(json!({"mounts": [
            {"hostPath": "/h/preload", "containerPath": "/etc/ld.so.preload"},
            {"hostPath": "/h/limits", "containerPath": "/etc/vgpu/limits"}
        ], "env": ["CUDA_DEVICE_MEMORY_SHARED_CACHE=/elsewhere"]}));
        let spec = composed(vec![hostile], "0.5.0");
        let got = &spec["devices"][0]["containerEdits"];
        let mounts: Vec<Mount> = serde_json::from_value(got["mounts"].clone()).unwrap();
        let writable: Vec<_> =
            mounts.iter().filter(|mount| !mount.options.contains(&"ro".to_owned())).collect();
        assert_eq!(writable.len(), 1);
        assert_eq!(
            (&*writable[0].host_path, &*writable[0].container_path),
            ("/s/region", "/etc/vgpu/region")
        );
        assert!(mounts.iter().all(|mount| !mount.host_path.starts_with("/h/")));
        assert!(!got["env"].to_string().contains("elsewhere"));
    }

    #[test]
    fn the_version_is_new_enough_for_both() {
        for (driver, ours) in
            [("0.3.0", "0.5.0"), ("", "0.5.0"), ("0.5.0", "0.5.0"), ("0.6.0", "0.6.0"), ("1.1.0", "1.1.0")]
        {
            assert_eq!(composed(vec![], driver)["cdiVersion"], ours, "{driver}");
        }
    }
}
