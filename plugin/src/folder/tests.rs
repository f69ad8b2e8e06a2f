use super::*;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

fn folder() -> (tempfile::TempDir, Folder) {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::open(&place.path().join("state"), PRIVATE).unwrap();
    (place, folder)
}

#[test]
fn a_file_is_replaced_whole_and_has_its_mode_whatever_the_umask() {
    let (_place, folder) = folder();
    assert_eq!(folder.read("a", 10).unwrap(), None);
    folder.write("a", b"one", 0o644).unwrap();
    folder.write("a", b"second", 0o644).unwrap();
    assert_eq!(folder.read("a", 100).unwrap().unwrap(), b"second");
    assert_eq!(folder.read("a", 3).unwrap().unwrap(), b"sec");
    let mode = fs::metadata(folder.path().join("a")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    assert_eq!(folder.names().unwrap(), ["a"]);
}

#[test]
fn links_are_refused_and_what_they_lead_to_is_left_alone() {
    let (place, folder) = folder();
    let target = place.path().join("target");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("f"), "theirs").unwrap();
    symlink(target.join("f"), folder.path().join("file")).unwrap();
    symlink(&target, folder.path().join("dir")).unwrap();
    symlink(target.join("f"), folder.path().join(".new.new")).unwrap();
    assert!(folder.read("file", 10).is_err());
    assert!(folder.child("dir", VISIBLE).is_err());
    assert!(Folder::open(&folder.path().join("dir"), VISIBLE).is_err());
    assert!(folder.remove_all("dir").is_err());
    folder.write("file", b"ours", 0o644).unwrap();
    folder.write("new", b"ours", 0o644).unwrap();
    assert_eq!(fs::read_to_string(target.join("f")).unwrap(), "theirs");
}

#[test]
fn what_others_may_write_is_refused_and_named() {
    let (place, folder) = folder();
    let open = place.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    let error = Folder::open(&open, VISIBLE).unwrap_err().to_string();
    assert!(error.contains("nobody else may write it") && error.contains("open"), "{error}");
    drop(folder);
}

#[test]
fn a_private_directory_that_kubelet_had_made_was_open_to_all() {
    let (place, folder) = folder();
    let made = place.path().join("made");
    fs::create_dir(&made).unwrap();
    let mode = || fs::metadata(&made).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(&made, fs::Permissions::from_mode(0o755)).unwrap();
    Folder::open(&made, VISIBLE).unwrap();
    assert_eq!(mode(), 0o755);
    Folder::open(&made, PRIVATE).unwrap();
    assert_eq!(mode(), 0o700);
    drop(folder);
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let (_place, folder) = folder();
    for name in ["", ".", "..", "a/b", "/a", "a\0b"] {
        assert!(folder.write(name, b"", 0o600).is_err(), "{name:?}");
        assert!(folder.read(name, 1).is_err(), "{name:?}");
        assert!(folder.child(name, VISIBLE).is_err(), "{name:?}");
        assert!(folder.remove(name).is_err(), "{name:?}");
        assert!(folder.remove_all(name).is_err(), "{name:?}");
    }
}

#[test]
fn a_tree_goes_with_the_links_in_it_and_not_with_what_they_lead_to() {
    let (place, folder) = folder();
    let target = place.path().join("target");
    fs::create_dir(&target).unwrap();
    let child = folder.child("c", VISIBLE).unwrap().child("limits", VISIBLE).unwrap();
    child.write("limits", b"x", 0o644).unwrap();
    symlink(&target, child.path().join("link")).unwrap();
    folder.remove_all("c").unwrap();
    folder.remove_all("c").unwrap();
    assert!(target.exists() && folder.names().unwrap().is_empty());
}
