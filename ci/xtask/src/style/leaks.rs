//! Names that belong to one machine or one network and mean nothing elsewhere.

use super::Document;
use std::path::Path;

/// Home directories and scratch folders; a name before them (`a/root/b`) makes it another path. Written in pieces, so
/// that this file passes its own check.
const MACHINE_PATHS: [&str; 3] = [concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/ho", "me/")];

/// Hosts of package registries: how a machine reaches packages is its own business.
const REGISTRIES: [&str; 8] = [
    concat!("crates", ".io"),
    concat!("py", "pi.org"),
    concat!("pythonhosted", ".org"),
    concat!("registry.npm", "js"),
    concat!("proxy.go", "lang.org"),
    concat!("repo.", "maven"),
    concat!("repo1.", "maven"),
    concat!("deb.deb", "ian.org"),
];

/// The lock file names the index it was resolved against: cargo's format, not a choice.
const LOCK_FILE: &str = "Cargo.lock";

/// One line for each place in `document` that names a machine or a registry.
pub(super) fn check(document: &Document, root: &Path) -> Vec<String> {
    if document.path.file_name().is_some_and(|name| name == LOCK_FILE) {
        return Vec::new();
    }
    let checkout = root.to_string_lossy();
    let mut wrong = Vec::new();
    for (number, line) in document.text.lines().enumerate() {
        let paths =
            MACHINE_PATHS.iter().copied().chain([checkout.as_ref()]).filter(|path| stands_alone(line, path));
        let hosts = REGISTRIES.iter().copied().filter(|host| line.contains(host));
        let place = format!("{}:{}", document.path.display(), number + 1);
        wrong.extend(paths.chain(hosts).map(|name| format!("{place}: `{name}` belongs to one machine")));
    }
    wrong
}

/// Does `path` occur in `line` as the beginning of a path?
fn stands_alone(line: &str, path: &str) -> bool {
    let is_part_of_path = |c: char| c.is_alphanumeric() || "._-/}".contains(c);
    line.match_indices(path).any(|(at, _)| !line[..at].ends_with(is_part_of_path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        check(&Document { path: "a.md".into(), text: text.to_owned() }, Path::new("/checkout")).len()
    }

    #[test]
    fn paths_of_a_machine_and_hosts_of_registries_are_found() {
        assert_eq!(found(&format!("see {}x/y", MACHINE_PATHS[0])), 1);
        assert_eq!(found("built in /checkout/target"), 1);
        assert_eq!(found(&format!("from {}", REGISTRIES[0])), 1);
    }

    #[test]
    fn the_same_letters_inside_another_path_are_not() {
        assert_eq!(found(&format!("chroot{}x", MACHINE_PATHS[0])), 0);
        assert_eq!(found(&format!("$DIR/net{}x", MACHINE_PATHS[1])), 0);
    }
}
