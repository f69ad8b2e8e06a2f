//! Crates that only compute: what they decide can be tested without a process, and runs the same on a virtual clock.

use crate::metadata::Package;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Modules of `std` through which a program touches the world.
const MODULES: [&str; 7] = ["env", "fs", "io", "net", "os", "process", "thread"];

/// Names that do so wherever they come from.
const NAMES: [&str; 7] = ["Instant", "SystemTime", "dbg!", "eprint!", "eprintln!", "print!", "println!"];

/// One line for each place where a source file of the crate touches the world. Its tests may.
pub(super) fn check(root: &Path, package: &Package) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for target in package.targets.iter().filter(|target| super::is_product(&target.kind)) {
        let folder = target.src_path.parent().unwrap_or(root);
        for path in sources(folder)? {
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let shown = path.strip_prefix(root).unwrap_or(&path).display();
            let wrong = touches(&text).into_iter();
            found.extend(
                wrong.map(|(line, name)| format!("{shown}:{line}: `{name}`: {} only computes", package.name)),
            );
        }
    }
    Ok(found)
}

/// All Rust files below a folder.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("cannot list {}", folder.display()))?.path();
        if path.is_dir() {
            files.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// The lines that touch the world, and by what, up to the file's tests.
fn touches(text: &str) -> Vec<(usize, String)> {
    let product = text.split("\n#[cfg(test)]").next().unwrap_or_default();
    let code: Vec<&str> = product.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let named = code.iter().enumerate().flat_map(|(index, line)| {
        NAMES.iter().filter(|name| has_word(line, name)).map(move |name| (index + 1, (*name).to_owned()))
    });
    let joined = code.join("\n");
    let modules = joined.match_indices("std::").flat_map(|(at, prefix)| {
        let line = joined[..at].matches('\n').count() + 1;
        modules(&joined[at + prefix.len()..]).map(move |name| (line, format!("std::{name}")))
    });
    named.chain(modules).collect()
}

/// Which of [`MODULES`] a path names, of which `rest` is what follows `std::`: one name, or several in braces.
fn modules(rest: &str) -> impl Iterator<Item = &'static str> {
    let group = rest.strip_prefix('{').and_then(|rest| rest.split_once("};")).map(|(group, _)| group);
    let names: Vec<&str> = group.map_or_else(|| vec![rest], |group| group.split(',').collect());
    let is_named = move |module: &&str| names.iter().any(|name| first_word(name.trim_start()) == *module);
    MODULES.into_iter().filter(is_named)
}

fn first_word(text: &str) -> &str {
    text.split(|c: char| !is_of_word(c)).next().unwrap_or_default()
}

fn has_word(line: &str, word: &str) -> bool {
    let ends = |at: usize| !line[at + word.len()..].starts_with(is_of_word);
    line.match_indices(word).any(|(at, _)| !line[..at].ends_with(is_of_word) && ends(at))
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        touches(text).into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn files_clocks_and_output_are_found() {
        assert_eq!(names("use std::fs;\n"), ["std::fs"]);
        assert_eq!(names("let x = std::env::var(name);"), ["std::env"]);
        assert_eq!(
            names("use std::{collections::BTreeMap, thread, net::TcpStream};"),
            ["std::net", "std::thread"]
        );
        assert_eq!(names("let now = Instant::now();"), ["Instant"]);
        assert_eq!(names("println!(\"{x}\");"), ["println!"]);
    }

    #[test]
    fn the_line_is_told() {
        assert_eq!(touches("use std::fmt;\n\nuse std::fs;\n"), [(3, "std::fs".to_owned())]);
    }

    #[test]
    fn comments_tests_and_other_names_are_not() {
        assert!(names("// as `std::env::var` does").is_empty());
        assert!(names("use std::time::Duration;\nuse std::fmt::{self, Display};\nuse std::iter;").is_empty());
        assert!(names("struct Instants;").is_empty());
        assert!(names("fn f() {}\n#[cfg(test)]\nmod tests { use std::fs; }").is_empty());
    }
}
