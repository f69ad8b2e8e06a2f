//! The allowed directions. A crate that is not listed here does not pass.

/// What one crate of this repository may do.
pub(super) struct Crate {
    /// A trailing `*` stands for the variants of a crate.
    pub(super) name: &'static str,
    /// Crates of this repository it may depend on.
    pub(super) uses: &'static [&'static str],
    /// Further ones that only its tests may depend on.
    pub(super) tests_use: &'static [&'static str],
    /// Otherwise each of its roots says `#![forbid(unsafe_code)]`.
    pub(super) may_use_unsafe: bool,
    /// Integers and text in, integers and text out: no input, no output, no clock, no thread.
    pub(super) is_pure: bool,
}

/// The crate that is loaded into other people's processes.
pub(super) const LIBRARY: &str = "libvgpu";

/// How many crates of others [`LIBRARY`] may link.
pub(super) const LIBRARY_CLOSURE_MAX: usize = 8;

/// Crates with global state, threads or a size that nobody wants in a preloaded library.
pub(super) const LIBRARY_NEVER: &[&str] = &["serde", "tokio", "tracing"];

const fn safe(name: &'static str, uses: &'static [&'static str]) -> Crate {
    Crate { name, uses, tests_use: &[], may_use_unsafe: false, is_pure: false }
}

const fn pure(name: &'static str, uses: &'static [&'static str]) -> Crate {
    Crate { is_pure: true, ..safe(name, uses) }
}

const fn ffi(name: &'static str, uses: &'static [&'static str]) -> Crate {
    Crate { name, uses, tests_use: &[], may_use_unsafe: true, is_pure: false }
}

impl Crate {
    /// Is this the rule of the crate called `name`?
    pub(super) fn is_for(&self, name: &str) -> bool {
        is_or_is_variant(self.name, name)
    }

    /// May this crate depend on the one called `name`, in its tests or everywhere?
    pub(super) fn may_use(&self, name: &str, in_tests: bool) -> bool {
        let tests_use = if in_tests { self.tests_use } else { &[] };
        self.uses.iter().chain(tests_use).any(|allowed| is_or_is_variant(allowed, name))
    }
}

fn is_or_is_variant(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(name == pattern, |variants_of| name.starts_with(variants_of))
}

/// Every crate, leaves first.
pub(super) const CRATES: &[Crate] = &[
    pure("contract", &[]),
    // Nodes for tests: no part of the product may use it.
    pure("sample-node", &["contract"]),
    pure("policy", &[]),
    pure("placement", &[]),
    ffi("cuda-sys", &[]),
    ffi("shared-region", &["contract", "policy"]),
    safe("tracker", &["contract", "policy", "shared-region"]),
    ffi("libvgpu", &["contract", "policy", "shared-region", "tracker", "cuda-sys"]),
    safe("monitor", &["contract", "policy", "shared-region"]),
    safe("vgpu-cli", &["contract", "monitor"]),
    // What runs in a cluster, and nothing else.
    safe("daemon", &[]),
    ffi("nvml-gaps", &[]),
    // What is loaded into containers is a file to it: it links none of it.
    Crate {
        tests_use: &["kube-harness"],
        ..safe("plugin", &["contract", "daemon", "monitor", "nvml-gaps", "placement"])
    },
    Crate {
        tests_use: &["kube-harness", "sample-node"],
        ..safe("scheduler-ext", &["contract", "daemon", "placement"])
    },
    safe("sim-model", &[]),
    ffi("sim-kernel", &["sim-model"]),
    safe("sim-exports", &["cuda-sys"]),
    ffi("sim-driver", &["cuda-sys", "sim-exports", "sim-kernel", "sim-model"]),
    ffi("sim-in-process", &["cuda-sys", "sim-driver"]),
    ffi("sim-driver-*", &["cuda-sys", "sim-driver", "sim-exports", "sim-in-process"]),
    // Its tests load the shared objects of its variants, as applications do.
    Crate {
        tests_use: &["sim-nvml-*"],
        ..ffi("sim-nvml", &["cuda-sys", "sim-exports", "sim-kernel", "sim-model"])
    },
    ffi("sim-nvml-*", &["cuda-sys", "sim-exports", "sim-nvml"]),
    ffi("sim-apps", &["cuda-sys"]),
    // Times the parts of a hooked call by themselves, too.
    Crate {
        tests_use: &["contract", "policy", "shared-region", "tracker"],
        ..safe("benches", &["sim-apps"])
    },
    safe("report", &["benches"]),
    // Drives what decides in the library, and nothing else of it, against the simulated card.
    safe("shares", &["policy", "shared-region", "sim-model", "tracker"]),
    safe("kube-cluster", &[]),
    safe("kube-harness", &["kube-cluster"]),
    safe("xtask", &["cuda-sys"]),
];
