//! The cluster that the tests share.

use crate::image;
use crate::kubectl::kubectl;
use crate::namespace::Namespace;
use crate::wait::wait_until;
use kube_cluster::folder::{Folder, VARIABLE};
use kube_cluster::service::Service;
use rustix::process::Pid;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The cluster in whose namespaces this test runs, for as long as it is held.
pub struct Cluster {
    folder: Folder,
    /// Held by every test: shared, or by one that disturbs the others alone.
    _turn: File,
    is_alone: bool,
}

/// A node of it.
#[derive(Clone, Debug)]
pub struct Node {
    name: String,
    /// Its container runtime.
    pub containerd: Service,
    /// What makes it a node.
    pub kubelet: Service,
}

impl Cluster {
    /// The cluster, beside other tests; none, and a line that says so, when this is not run by `cargo xtask kube test`.
    pub fn join() -> Option<Self> {
        let (folder, turn) = Self::find()?;
        turn.lock_shared().expect("cannot wait for a test that is alone");
        Some(Self { folder, _turn: turn, is_alone: false })
    }

    /// As [`join`](Self::join), for a test that stops services: while it runs, no other does, and what it has stopped or
    /// paused goes on when the answer is dropped.
    pub fn alone() -> Option<Self> {
        let (folder, turn) = Self::find()?;
        turn.lock().expect("cannot wait for the other tests");
        Some(Self { folder, _turn: turn, is_alone: true })
    }

    fn find() -> Option<(Folder, File)> {
        let Some(path) = std::env::var_os(VARIABLE) else {
            println!("skipped: it needs a cluster; `cargo xtask kube test` runs it in one");
            return None;
        };
        let folder = Folder::new(Path::new(&path)).expect("the cluster's folder");
        let turn = File::create(folder.state().join("turn")).expect("the cluster is not up any more");
        Some((folder, turn))
    }

    /// A new namespace, which goes when the answer is dropped.
    pub fn namespace(&self) -> Namespace {
        Namespace::new()
    }

    /// A node, `node-1` or, where there is one, `node-2`.
    pub fn node(&self, name: &str) -> Node {
        Node::of(&self.folder, name)
    }

    /// The API server.
    pub fn api_server(&self) -> Service {
        self.folder.service("control", "kube-apiserver")
    }

    /// Where the API server keeps everything.
    pub fn etcd(&self) -> Service {
        self.folder.service("control", "etcd")
    }

    /// The scheduler.
    pub fn scheduler(&self) -> Service {
        self.folder.service("control", "kube-scheduler")
    }

    /// The controller manager.
    pub fn controller_manager(&self) -> Service {
        self.folder.service("control", "kube-controller-manager")
    }

    /// Waits until the API server answers.
    pub fn wait_for_api(&self) {
        let answers = || kubectl(&["get", "--raw", "/readyz", "--request-timeout=5s"], "").ok();
        wait_until("the API server answers", answers, || self.api_server().log_tail());
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if !self.is_alone {
            return;
        }
        // Also when the test failed half-way: the next one is not to blame.
        for service in self.folder.services() {
            let _ = service.resume();
            let _ = service.start();
        }
        if !std::thread::panicking() {
            self.wait_for_api();
        }
    }
}

impl Node {
    /// A node of the cluster in whose namespaces this test runs.
    ///
    /// # Panics
    /// It runs in none.
    pub fn named(name: &str) -> Self {
        let path = std::env::var_os(VARIABLE).expect("this runs in a cluster");
        Self::of(&Folder::new(Path::new(&path)).expect("the cluster's folder"), name)
    }

    fn of(folder: &Folder, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            containerd: folder.service(name, "containerd"),
            kubelet: folder.service(name, "kubelet"),
        }
    }

    /// Its own view of the file system: the second node has a `/run`, an `/etc` and a `/var/lib` of its own.
    ///
    /// # Panics
    /// The container runtime does not run.
    pub fn root(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root", self.pid().as_raw_pid()))
    }

    /// The name of its mount namespace.
    pub(crate) fn mounts(&self) -> PathBuf {
        std::fs::read_link(format!("/proc/{}/ns/mnt", self.pid().as_raw_pid())).unwrap_or_default()
    }

    /// A process of it.
    pub(crate) fn pid(&self) -> Pid {
        self.containerd.pid().unwrap_or_else(|| panic!("{} does not run", self.containerd.name))
    }

    /// Gives it the images of an archive that [`image`](crate::image()) has made.
    ///
    /// # Panics
    /// The container runtime does not run, or refuses.
    pub fn import(&self, archive: &Path) {
        image::import(archive, &self.root().join("run/containerd/containerd.sock"));
    }

    /// Waits until pods may be placed on it.
    pub fn wait_until_ready(&self) {
        let path = "jsonpath={.status.conditions[?(@.type=='Ready')].status}";
        let ready =
            || kubectl(&["get", "node", &self.name, "-o", path], "").ok().filter(|said| said == "True");
        wait_until("the node is ready", ready, || self.kubelet.log_tail());
    }
}
