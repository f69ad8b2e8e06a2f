//! File systems with limits of their own: full, without space, without locks that last. These tests mount some.

use std::process::{Command, Stdio};

use crate::support::{Directory, LIMIT, Part, Role, skip};

/// A shell in mount namespace of its own that mounts something on its first argument and then becomes the rest.
fn mounted(mount: &str) -> [String; 5] {
    let script = format!("{mount} && target=$1 && shift && exec \"$@\"");
    ["unshare", "--mount", "sh", "-c", &script].map(str::to_owned)
}

/// Whether `mount` works here.
fn is_permitted(wrapper: &[&str]) -> bool {
    let mut command = Command::new(wrapper[0]);
    command.args(&wrapper[1..]).arg("true").stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[test]
fn a_full_disk_is_one_clear_error() {
    let directory = Directory::new();
    let mounted = mounted("mount -t tmpfs -o size=1m none \"$1\"");
    let mut wrapper: Vec<&str> = mounted.iter().map(String::as_str).collect();
    wrapper.extend(["sh", directory.path().to_str().unwrap()]);
    if !is_permitted(&wrapper) {
        return skip("a_full_disk_is_one_clear_error", "cannot mount a small file system");
    }
    let (status, said) = Role::start_in(&wrapper, Part::Open, &directory.region(), 0).finish();
    let said = said.unwrap();
    assert!(status.success());
    assert!(said.contains("has no room for its"), "{said}");
    assert!(said.contains(directory.region().to_str().unwrap()), "{said}");
}

/// Lets a process play `part` with a region on an overlay and ends with what it said; `None` where none can be mounted.
fn on_an_overlay(test: &str, part: Part, number: u64) -> Option<String> {
    let directory = Directory::new();
    let place = directory.path();
    for name in ["lower", "upper", "work", "merged"] {
        std::fs::create_dir(place.join(name)).unwrap();
    }
    let merged = place.join("merged");
    let mounted =
        mounted("cd \"$1\"/.. && mount -t overlay none -o lowerdir=lower,upperdir=upper,workdir=work merged");
    let mut wrapper: Vec<&str> = mounted.iter().map(String::as_str).collect();
    wrapper.extend(["sh", merged.to_str().unwrap()]);
    if !is_permitted(&wrapper) {
        skip(test, "cannot mount an overlay");
        return None;
    }
    let (status, said) = Role::start_in(&wrapper, part, &merged.join("region"), number).finish();
    assert!(status.success(), "{said:?}");
    said
}

#[test]
fn on_an_overlay_where_mappings_keep_no_lock_a_descriptor_does() {
    const TEST: &str = "on_an_overlay_where_mappings_keep_no_lock_a_descriptor_does";
    if let Some(said) = on_an_overlay(TEST, Part::Overlay, 0) {
        assert_eq!(said, "kept by a descriptor");
    }
}

#[test]
fn on_an_overlay_a_process_that_execs_itself_is_not_refused_its_own_memory() {
    const TEST: &str = "on_an_overlay_a_process_that_execs_itself_is_not_refused_its_own_memory";
    if let Some(said) = on_an_overlay(TEST, Part::ExecItself, 3) {
        assert_eq!(said, "0 left: Ok(())");
    }
}

#[test]
fn on_an_overlay_a_forked_child_does_not_keep_its_dead_parents_memory() {
    const TEST: &str = "on_an_overlay_a_forked_child_does_not_keep_its_dead_parents_memory";
    if let Some(said) = on_an_overlay(TEST, Part::Heir, 0) {
        assert_eq!(said, format!("{:?}", Ok::<_, ()>(LIMIT)));
    }
}
