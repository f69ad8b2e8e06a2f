//! The command line.

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand, ValueEnum};
use contract::resources::{DEFAULT_DOMAIN, Domain, NameStyle, ResourceNames};
use daemon::flags::Bind;
use daemon::log;

use super::gates::Gates;

/// The node agent of vgpu: gives each container on this node exactly its slice of a GPU.
#[derive(Clone, Debug, Parser)]
#[command(name = "vgpu-node-agent", version)]
pub struct Flags {
    /// Name of this node in the cluster.
    #[arg(long, env = "NODE_NAME", value_name = "NAME")]
    pub node_name: String,

    /// Domain of resources, annotations and labels.
    #[arg(long, default_value = DEFAULT_DOMAIN, value_name = "DOMAIN")]
    pub domain: Domain,

    /// How the resources of a slice are called: vgpu-number, vgpu-memory, vgpu-cores, or with hami, as HAMi calls them, gpu,
    /// gpumem, gpucores.
    #[arg(long, default_value = "vgpu", value_name = "STYLE")]
    pub resource_names: NameStyle,

    /// Parts that are off unless they are asked for, as in CorePlugin=true,MemoryPlugin=true.
    #[arg(long, default_value = "", value_name = "GATES", hide_default_value = true)]
    pub feature_gates: Gates,

    /// Settings of the nodes of the cluster, in YAML; read again whenever it changes.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Kubelet's directory of device plugins.
    #[arg(long, default_value = "/var/lib/kubelet/device-plugins", value_name = "DIRECTORY")]
    pub kubelet_dir: PathBuf,

    /// The socket at which kubelet says who has which devices.
    #[arg(long, default_value = "/var/lib/kubelet/pod-resources/kubelet.sock", value_name = "SOCKET")]
    pub pod_resources: PathBuf,

    /// Where claims, files of containers and the library are kept.
    #[arg(long, default_value = "/var/lib/vgpu", value_name = "DIRECTORY")]
    pub state_dir: PathBuf,

    /// Where the container runtime looks for CDI specs.
    #[arg(long, default_value = "/var/run/cdi", value_name = "DIRECTORY")]
    pub cdi_dir: PathBuf,

    /// How it is known that CDI specs reach containers: by asking the container runtime and by versions, or because you say so.
    #[arg(long, default_value = "auto", value_name = "HOW")]
    pub cdi: Cdi,

    /// Where the container runtime can be asked; the first that is there.
    #[arg(
        long,
        default_value = "/run/containerd/containerd.sock,/run/crio/crio.sock",
        value_delimiter = ',',
        value_name = "SOCKETS"
    )]
    pub runtime_sockets: Vec<PathBuf>,

    /// Where the driver's own CDI specs are (kind nvidia.com/gpu).
    #[arg(long, default_value = "/etc/cdi,/var/run/cdi", value_delimiter = ',', value_name = "DIRECTORIES")]
    pub driver_cdi_dirs: Vec<PathBuf>,

    /// Where the driver is installed, as this program sees it.
    #[arg(long, default_value = "/", value_name = "DIRECTORY")]
    pub driver_root: PathBuf,

    /// The driver's NVML; found below the driver's root if it is not given.
    #[arg(long, value_name = "FILE")]
    pub nvml_library: Option<PathBuf>,

    /// libvgpu.so, to be installed on this node for containers that are created from now on.
    #[arg(long, default_value = "/usr/lib/vgpu/libvgpu.so", value_name = "FILE")]
    pub library: PathBuf,

    /// Whose claims are followed: our scheduler's, or vgpu-manager's.
    #[arg(long, default_value = "own", value_name = "FORM")]
    pub claims: Claims,

    /// Where metrics and probes are served: PORT on all addresses as in :9394, ADDRESS:PORT, or 0 for nowhere.
    #[arg(long, default_value = ":9394", value_name = "ADDRESS")]
    pub metrics_bind_address: Bind,

    /// What to do instead of being the agent.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// How the log is written; the variable RUST_LOG says how much of it.
    #[arg(long, default_value = "text", value_name = "FORMAT")]
    pub log_format: log::Format,
}

/// What to do instead of being the agent.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Takes everything away that agents have left on this node and on its Node. No agent may run there.
    Uninstall {
        /// Also while pods have slices. They keep what they have until they are started again, which then fails.
        #[arg(long)]
        force: bool,
    },
}

/// Whose claims are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Claims {
    /// Ours.
    Own,
    /// Those of vgpu-manager's scheduler.
    VgpuManager,
}

/// How it is known that CDI specs reach containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Cdi {
    /// The runtime says so, or versions do.
    Auto,
    /// Whoever starts the agent says so.
    Assume,
    /// They do not: containers get mounts, and NVIDIA's runtime gives them GPUs.
    None,
}

/// The name of NVML, which every driver installs.
const NVML: &str = "libnvidia-ml.so.1";

/// Where distributions and installers of the driver put libraries, below its root.
const LIBRARY_DIRECTORIES: [&str; 6] = [
    "usr/lib/x86_64-linux-gnu",
    "usr/lib/aarch64-linux-gnu",
    "usr/lib64",
    "usr/lib",
    "lib/x86_64-linux-gnu",
    "lib64",
];

impl Flags {
    /// The NVML to ask: the one that is named, else the first below the driver's root, else whatever the loader finds.
    #[must_use]
    pub fn nvml(&self) -> PathBuf {
        let found = || {
            let places = LIBRARY_DIRECTORIES.iter().map(|place| self.driver_root.join(place).join(NVML));
            places.into_iter().find(|path| path.exists())
        };
        self.nvml_library.clone().or_else(found).unwrap_or_else(|| PathBuf::from(NVML))
    }

    /// How resources are called.
    #[must_use]
    pub fn names(&self) -> ResourceNames {
        self.domain.resources(self.resource_names)
    }

    /// The node's label that names its section of the settings.
    #[must_use]
    pub fn section_label(&self) -> String {
        self.domain.name("vgpu-config")
    }

    /// The settings' file.
    #[must_use]
    pub fn config(&self) -> Option<&Path> {
        self.config.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Flags, clap::Error> {
        Flags::try_parse_from([&["vgpu-node-agent", "--node-name=n"], arguments].concat())
    }

    #[test]
    fn mistakes_are_named() {
        for (argument, said) in [
            ("--feature-gates=Core=true", "unknown feature gate \"Core\""),
            ("--feature-gates=GPUTopology=yes", "\"GPUTopology=yes\": write NAME=true or NAME=false"),
            ("--domain=a/b", "a/b is no domain"),
            ("--resource-names=HAMi", "HAMi is no style of names; known: vgpu, hami"),
            ("--claims=other", "vgpu-manager"),
            ("--cdi=perhaps", "auto, assume, none"),
            ("--metrics-bind-address=9394", "9394 is no address"),
        ] {
            let error = parse(&[argument]).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(said), "{error}");
        }
    }

    #[test]
    fn nvml_is_looked_for_below_the_drivers_root() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().to_str().unwrap();
        let flags = parse(&["--driver-root", path]).unwrap();
        assert_eq!(flags.nvml(), Path::new(NVML));
        let library = root.path().join("usr/lib64").join(NVML);
        std::fs::create_dir_all(library.parent().unwrap()).unwrap();
        std::fs::write(&library, "").unwrap();
        assert_eq!(flags.nvml(), library);
        let named = parse(&["--driver-root", path, "--nvml-library=/x.so"]).unwrap();
        assert_eq!(named.nvml(), Path::new("/x.so"));
    }
}
