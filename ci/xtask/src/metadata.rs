//! The part of `cargo metadata` that the checks read.

use serde::Deserialize;
use std::path::PathBuf;

/// What cargo knows of the workspace and everything it depends on.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) resolve: Resolve,
    pub(crate) target_directory: PathBuf,
    pub(crate) workspace_root: PathBuf,
}

/// A crate of ours, or a crate we use.
#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Absent for the crates of this repository.
    pub(crate) source: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) targets: Vec<Target>,
}

/// A dependency as a manifest declares it.
#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` is an ordinary dependency, else `dev` or `build`.
    pub(crate) kind: Option<String>,
    /// Set for the crates of this repository.
    pub(crate) path: Option<PathBuf>,
}

/// A library, program, test, example, bench or build script of a package.
#[derive(Deserialize)]
pub(crate) struct Target {
    pub(crate) kind: Vec<String>,
    pub(crate) src_path: PathBuf,
}

/// The dependency graph with features and platform applied.
#[derive(Deserialize)]
pub(crate) struct Resolve {
    pub(crate) nodes: Vec<Node>,
}

/// A package in the graph.
#[derive(Deserialize)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) deps: Vec<Edge>,
}

/// An edge of the graph.
#[derive(Deserialize)]
pub(crate) struct Edge {
    pub(crate) pkg: String,
    pub(crate) dep_kinds: Vec<EdgeKind>,
}

/// One reason for an edge.
#[derive(Deserialize)]
pub(crate) struct EdgeKind {
    /// As [`Dependency::kind`].
    pub(crate) kind: Option<String>,
}

impl Package {
    /// A crate of this repository?
    pub(crate) fn is_ours(&self) -> bool {
        self.source.is_none()
    }
}

impl Edge {
    /// Linked into the program, rather than used to build or test it?
    pub(crate) fn is_linked(&self) -> bool {
        self.dep_kinds.iter().any(|reason| reason.kind.is_none())
    }
}
