//! Volumes of a pod's own in the places of its slices: they would hide from a container what limits it.

use std::path::{Component, Path, PathBuf};

use contract::claim::ContainerName;
use contract::paths;
use k8s_openapi::api::core::v1::Container;

/// What belongs to a slice, in a container.
const PLACES: [&str; 3] = [paths::PRELOAD, "/etc/vgpu", "/usr/lib/vgpu"];

/// A volume at, or below, a place of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered {
    /// The container that has it.
    pub container: ContainerName,
    /// Where.
    pub path: String,
}

/// The first volume that `container` has in such a place. One above is none: what is deeper is mounted later.
pub(super) fn covered(container: &Container) -> Option<Covered> {
    let mut paths = container.volume_mounts.iter().flatten().map(|mount| &mount.mount_path);
    let path = paths.find(|path| is_ours(Path::new(path)))?;
    Some(Covered { container: container.name.parse().ok()?, path: path.clone() })
}

fn is_ours(path: &Path) -> bool {
    let path = plain(path);
    PLACES.iter().any(|place| path.starts_with(place))
}

/// The path as a runtime has it, which resolves `.` and `..` by their names.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::ParentDir => drop(plain.pop()),
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_hid_the_limits_page_from_its_container() {
        for path in [
            "/etc/vgpu/limits/limits",
            "/etc/vgpu",
            "/etc/vgpu/region/",
            "/etc/ld.so.preload",
            "//etc/./x/../ld.so.preload",
            "/usr/lib/vgpu/libvgpu.so",
            "etc/ld.so.preload",
        ] {
            assert!(is_ours(Path::new(path)), "{path}");
        }
        for path in ["/etc", "/", "/etc/vgpu2", "/etc/ld.so.preload.d", "/usr/lib", "/data", "/etc/vgpu/../x"]
        {
            assert!(!is_ours(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn the_places_are_those_of_what_a_slice_is_made_of() {
        for path in [paths::PRELOAD, paths::CONTAINER_LIBRARY, paths::CONTAINER_REGION, paths::LIMITS_DIR] {
            assert!(is_ours(Path::new(path)), "{path}");
        }
    }
}
