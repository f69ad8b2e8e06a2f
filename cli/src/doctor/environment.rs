//! The environment: limits that are set already, variables that do not parse, and what a container was given.

use std::path::Path;

use contract::env::{self, EnvLimits};
use contract::paths;
use monitor::page;

use super::finding::Finding;
use super::place::Place;
use crate::say::of_library;
use crate::show::escaped;

/// The variables that carry limits.
pub(super) fn variables(place: &Place) -> Finding {
    const CHECK: &str = "variables";
    match EnvLimits::read(|name| place.variable(name).map(ToOwned::to_owned)) {
        Err(error) => Finding::fail(
            CHECK,
            of_library(error),
            "correct or unset it: programs in a slice get error 802 from cuInit",
        ),
        Ok(limits) if limits.is_empty() => Finding::ok(CHECK, "none sets a limit"),
        Ok(_) => Finding::ok(CHECK, "a limit is set, and can make a slice tighter"),
    }
}

/// A limits page that is in force here.
pub(super) fn slice(place: &Place) -> Option<Finding> {
    const CHECK: &str = "slice";
    let node = paths::limits_file(&place.file(paths::LIMITS_DIR));
    let given = place.variable(env::LIMITS_DIR).map(|dir| paths::limits_file(Path::new(dir)));
    let (file, whose) = match given {
        _ if node.exists() => (node, "this container's node"),
        Some(file) if file.exists() => (file, "the vgpu run around this"),
        Some(file) => {
            return Some(Finding::warn(
                CHECK,
                format_args!("{} names a directory without limits: {}", env::LIMITS_DIR, file.display()),
                format_args!("unset {}", env::LIMITS_DIR),
            ));
        }
        None => return None,
    };
    Some(match page::read(&file) {
        Ok(page) => Finding::warn(
            CHECK,
            format_args!("inside a slice already, made by {whose}, GPUs in it: {}", page.entries().len()),
            "nothing to do, but vgpu run does not divide a slice further",
        ),
        Err(reason) => Finding::fail(CHECK, reason, "let whoever wrote it write it anew"),
    })
}

/// What kind of container this is, if it is one.
pub(super) fn kind_of_container(place: &Place) -> Option<&'static str> {
    if place.variable("KUBERNETES_SERVICE_HOST").is_some() {
        Some("Kubernetes")
    } else if place.file("/.dockerenv").exists() {
        Some("Docker")
    } else if place.file("/run/.containerenv").exists() {
        Some("Podman")
    } else {
        None
    }
}

/// What a container was given; `None` outside of containers.
pub(super) fn container(place: &Place) -> Option<Finding> {
    const CHECK: &str = "container";
    const DEVICES: &str = "NVIDIA_VISIBLE_DEVICES";
    const CAPABILITIES: &str = "NVIDIA_DRIVER_CAPABILITIES";
    let kind = kind_of_container(place)?;
    if let Some(value @ ("void" | "none")) = place.text(DEVICES).as_deref() {
        let what = format!("{kind}, and {DEVICES}={value}: without GPUs of the NVIDIA runtime");
        return Some(Finding::warn(CHECK, what, "give the container a GPU, unless it comes by CDI"));
    }
    let capabilities = place.text(CAPABILITIES).unwrap_or_else(|| "all".to_owned());
    let has =
        |name: &str| capabilities.split(',').any(|word| matches!(word.trim(), "all") || word.trim() == name);
    if !has("compute") || !has("utility") {
        let what =
            format!("{kind}, and {CAPABILITIES}={}: libcuda or NVML may be missing", escaped(&capabilities));
        return Some(Finding::warn(CHECK, what, "start it with NVIDIA_DRIVER_CAPABILITIES=compute,utility"));
    }
    Some(Finding::ok(CHECK, kind))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use contract::limits_page::Page;

    use super::super::finding::Status;
    use super::*;

    #[test]
    fn a_variable_that_does_not_parse() {
        let place = |value| Place::at(Path::new("/"), &[("CUDA_DEVICE_MEMORY_LIMIT_0", value)]);
        let found = variables(&place("1.5g"));
        assert_eq!(found.status, Status::Fail);
        assert!(found.finding.starts_with("CUDA_DEVICE_MEMORY_LIMIT_0=1.5g is not a size; "), "{found:?}");
        assert_eq!(variables(&place("1g")).finding, "a limit is set, and can make a slice tighter");
        assert_eq!(variables(&place("0")).finding, "none sets a limit");
    }

    #[test]
    fn limits_that_are_in_force() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let text = home.path().to_string_lossy().into_owned();
        let place = Place::at(home.path(), &[(env::LIMITS_DIR, &text)]);
        assert_eq!(slice(&Place::at(home.path(), &[])), None);
        assert!(slice(&place).expect("a finding").finding.contains("names a directory without limits"));
        fs::write(home.path().join("limits"), "rubbish").expect("a file");
        assert_eq!(slice(&place).expect("a finding").status, Status::Fail);
        let page = Page::new(Vec::new()).expect("no GPU");
        fs::write(home.path().join("limits"), page.encode()).expect("a file");
        assert!(slice(&place).expect("a finding").finding.contains("inside a slice already"));
    }

    #[test]
    fn containers_and_what_they_lack() {
        let home = tempfile::tempdir().expect("a temporary directory");
        assert_eq!(container(&Place::at(home.path(), &[])), None);
        fs::write(home.path().join(".dockerenv"), "").expect("a file");
        let find =
            |variables: &[(&str, &str)]| container(&Place::at(home.path(), variables)).expect("a container");
        assert_eq!(find(&[]), Finding::ok("container", "Docker"));
        assert_eq!(find(&[("NVIDIA_DRIVER_CAPABILITIES", "compute,utility")]).status, Status::Ok);
        assert_eq!(find(&[("NVIDIA_DRIVER_CAPABILITIES", "compute")]).status, Status::Warn);
        assert_eq!(find(&[("NVIDIA_VISIBLE_DEVICES", "void")]).status, Status::Warn);
        assert_eq!(find(&[("KUBERNETES_SERVICE_HOST", "10.0.0.1")]).finding, "Kubernetes");
    }
}
