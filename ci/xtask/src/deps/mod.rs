//! Who may depend on whom, what the preload library may drag in, who may use `unsafe`, and who may touch the world.

mod pure;
mod rules;

use crate::metadata::{Node, Package};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use rules::{CRATES, Crate, LIBRARY, LIBRARY_CLOSURE_MAX, LIBRARY_NEVER};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Checks every rule and reports all that is broken.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    let mut broken = Vec::new();
    for package in workspace.crates() {
        let Some(rule) = CRATES.iter().find(|rule| rule.is_for(&package.name)) else {
            broken.push(format!(
                "{}: no rule says what it may depend on; add it to deps/rules.rs",
                package.name
            ));
            continue;
        };
        broken.extend(edges(package, rule));
        broken.extend(unsafe_code(workspace.root(), package, rule)?);
        if rule.is_pure {
            broken.extend(pure::check(workspace.root(), package)?);
        }
    }
    let closure = closure(workspace, LIBRARY)?;
    broken.extend(library(&closure));
    if !broken.is_empty() {
        bail!("{} broken:\n  {}", broken.len(), broken.join("\n  "));
    }
    let (ours, others) = (workspace.crates().count(), Vec::from_iter(closure));
    println!(
        "deps: {ours} crates as designed; {LIBRARY} links {} of others: {}",
        others.len(),
        others.join(", ")
    );
    Ok(())
}

/// The edges of one crate that no rule allows.
fn edges(package: &Package, rule: &Crate) -> Vec<String> {
    let ours = package.dependencies.iter().filter(|dependency| dependency.path.is_some());
    let wrong = ours.filter(|dependency| {
        let in_tests = dependency.kind.as_deref() == Some("dev");
        !rule.may_use(&dependency.name, in_tests)
    });
    wrong
        .map(|dependency| format!("{} -> {}: not an allowed direction", package.name, dependency.name))
        .collect()
}

/// The roots of one crate that should forbid `unsafe` and do not.
fn unsafe_code(root: &Path, package: &Package, rule: &Crate) -> Result<Vec<String>> {
    if rule.may_use_unsafe {
        return Ok(Vec::new());
    }
    let mut missing = Vec::new();
    for target in package.targets.iter().filter(|target| is_product(&target.kind)) {
        let text = std::fs::read_to_string(&target.src_path)
            .with_context(|| format!("cannot read {}", target.src_path.display()))?;
        if !text.lines().any(|line| line == "#![forbid(unsafe_code)]") {
            let path = target.src_path.strip_prefix(root).unwrap_or(&target.src_path);
            missing.push(format!("{}: `#![forbid(unsafe_code)]` is missing", path.display()));
        }
    }
    Ok(missing)
}

/// A library or program, not a test, bench, example or build script?
fn is_product(kinds: &[String]) -> bool {
    !kinds.iter().any(|kind| ["test", "bench", "example", "custom-build"].contains(&kind.as_str()))
}

/// What is wrong with what the preload library drags in.
fn library(closure: &BTreeSet<String>) -> Vec<String> {
    let mut broken = Vec::new();
    for name in LIBRARY_NEVER.iter().filter(|name| closure.contains(**name)) {
        broken.push(format!("{LIBRARY} -> .. -> {name}: never inside other people's processes"));
    }
    if closure.len() > LIBRARY_CLOSURE_MAX {
        let names = Vec::from_iter(closure.iter().cloned()).join(", ");
        broken.push(format!(
            "{LIBRARY} links {} crates of others, {LIBRARY_CLOSURE_MAX} allowed: {names}",
            closure.len()
        ));
    }
    broken
}

/// The crates of others that are linked into `name`.
fn closure(workspace: &Workspace, name: &str) -> Result<BTreeSet<String>> {
    let metadata = workspace.metadata();
    let packages: BTreeMap<&str, &Package> = metadata.packages.iter().map(|p| (p.id.as_str(), p)).collect();
    let nodes: BTreeMap<&str, &Node> = metadata.resolve.nodes.iter().map(|n| (n.id.as_str(), n)).collect();
    let start = workspace.crates().find(|package| package.name == name);
    let mut pending = vec![start.with_context(|| format!("no crate named {name}"))?.id.as_str()];
    let mut seen = BTreeSet::new();
    let mut others = BTreeSet::new();
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        if let Some(package) = packages.get(id).filter(|package| !package.is_ours()) {
            others.insert(package.name.clone());
        }
        let edges = nodes.get(id).map_or(&[][..], |node| &node.deps);
        pending.extend(edges.iter().filter(|edge| edge.is_linked()).map(|edge| edge.pkg.as_str()));
    }
    Ok(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(dependencies: &str) -> Package {
        let json =
            format!(r#"{{"id":"a","name":"a","source":null,"targets":[],"dependencies":[{dependencies}]}}"#);
        serde_json::from_str(&json).expect("test data")
    }

    const RULE: Crate =
        Crate { name: "a", uses: &["b"], tests_use: &["c"], may_use_unsafe: false, is_pure: false };

    #[test]
    fn an_edge_against_the_design_is_named() {
        let wrong = package(r#"{"name":"libvgpu","kind":null,"path":"/x"}"#);
        assert_eq!(edges(&wrong, &RULE), ["a -> libvgpu: not an allowed direction"]);
    }

    #[test]
    fn a_test_may_use_what_the_product_may_not() {
        let in_tests = package(r#"{"name":"c","kind":"dev","path":"/x"}"#);
        assert!(edges(&in_tests, &RULE).is_empty());
        let in_product = package(r#"{"name":"c","kind":null,"path":"/x"}"#);
        assert_eq!(edges(&in_product, &RULE).len(), 1);
    }

    #[test]
    fn a_ninth_crate_or_a_banned_one_is_an_error() {
        let nine = (0..9).map(|n| format!("c{n}")).collect();
        assert!(library(&nine)[0].contains("9 crates of others, 8 allowed"));
        assert!(library(&BTreeSet::from(["serde".to_owned()]))[0].contains("-> serde"));
    }
}
