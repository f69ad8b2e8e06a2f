//! One test: a machine of its own, and for each branch a process of its own that has loaded the library.
//!
//! The library finds its machine by the environment and counts its initialisations by process, so tests in one
//! process would meet each other.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs};

use cuda_sys::nvmlReturn_t;
use sim_kernel::{Client, ConnectOptions, Kind};

use crate::nvml::{Nvml, call};

/// Says to a process that it is the one of the test, and which branch it tests.
const BRANCH: &str = "SIM_NVML_TEST_BRANCH";

/// The branches under test.
const BRANCHES: [&str; 2] = ["535", "550"];

/// What a test has before it.
pub(crate) struct Scene {
    /// The branch under test.
    pub(crate) branch: &'static str,
    /// The library under test, loaded and not yet initialised.
    pub(crate) nvml: Nvml,
}

impl Scene {
    /// A connection to the machine of this test.
    pub(crate) fn connect(&self, kind: Kind) -> Client {
        let program = Some(staged("bin/vgpu-sim-kernel"));
        Client::connect(&ConnectOptions::from_environment(kind, self.branch, program))
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Initialises the library.
    pub(crate) fn initialised(self) -> Self {
        assert_eq!(call!(self.nvml, nvmlInit_v2()), nvmlReturn_t::SUCCESS);
        self
    }
}

/// Plays `test` on a machine of so many devices, once for each branch. To be the only statement of a test, and `test`
/// a closure written there: its name says which test it belongs to.
pub(crate) fn play<F: Fn(Scene)>(devices: u32, test: F) {
    if let Ok(branch) = env::var(BRANCH) {
        let branch = BRANCHES.into_iter().find(|known| *known == branch).expect("a known branch");
        return test(Scene { branch, nvml: Nvml::load(&library(branch)) });
    }
    for branch in BRANCHES {
        let folder = new_folder();
        let output = this_test::<F>()
            .env(BRANCH, branch)
            .env("VGPU_SIM_SOCKET", folder.join("socket"))
            .env("VGPU_SIM_KERNEL", staged("bin/vgpu-sim-kernel"))
            .env("VGPU_SIM_DEVICES", devices.to_string())
            .env("VGPU_SIM_IDLE_MS", "0")
            .env("CUDA_VISIBLE_DEVICES", "none at all")
            .output()
            .expect("this very program");
        let _ = fs::remove_dir_all(folder);
        let said = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(" 1 passed"), "branch {branch}: {}\n{said}{complained}", output.status);
    }
}

/// A command that runs the test in which the closure `F` is written, alone.
fn this_test<F>() -> Command {
    let path = std::any::type_name::<F>();
    let name = path.split_once("::").and_then(|(_, path)| path.strip_suffix("::{{closure}}"));
    let mut command = Command::new(env::current_exe().expect("the path of this program"));
    command.args(["--exact", name.expect("a closure of a test"), "--nocapture"]);
    command
}

/// A folder for a machine that no other test has.
fn new_folder() -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    // Short, because the name of a socket may have 107 bytes only.
    env::temp_dir().join(format!("vgpu-nvml-{}-{number}", std::process::id()))
}

/// The shared object of a branch.
pub(crate) fn library(branch: &str) -> PathBuf {
    staged(&format!("sim/{branch}/libnvidia-ml.so.1"))
}

fn staged(place: &str) -> PathBuf {
    let beside_the_target = || Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("stage");
    let path = env::var_os("VGPU_STAGE").map_or_else(beside_the_target, PathBuf::from).join(place);
    assert!(path.exists(), "{} is missing: run `cargo xtask stage`, or set VGPU_STAGE", path.display());
    path
}
