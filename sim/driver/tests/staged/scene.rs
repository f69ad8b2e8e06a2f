//! One test: a machine of its own, and for each branch a process of its own that has loaded the library.
//!
//! The library reads its environment and is initialised once a process, so tests in one process would meet each other.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs};

use cuda_sys::{CUcontext, CUresult};
use sim_kernel::{Client, ConnectOptions, DeviceTruth, Kind};

use crate::cuda::{Cuda, call};

/// Says to a process that it is the one of the test, and which branch it tests.
const BRANCH: &str = "SIM_DRIVER_TEST_BRANCH";

/// Every branch.
pub(crate) const BRANCHES: [&str; 6] = ["470", "535", "550", "570", "580", "615"];

/// The branches on which a test is played that is not about what differs between branches.
const USUAL: [&str; 2] = ["535", "550"];

/// The branches of CUDA 13.
const NEWEST: [&str; 2] = ["580", "615"];

/// What a test has before it.
pub(crate) struct Scene {
    /// The branch under test.
    pub(crate) branch: &'static str,
    /// The library under test, loaded and not yet initialised.
    pub(crate) cuda: Cuda,
}

impl Scene {
    /// Initialises the library.
    pub(crate) fn initialised(self) -> Self {
        assert_eq!(call!(self.cuda, cuInit(0)), CUresult::SUCCESS);
        self
    }

    /// Initialises the library and makes a context of device 0 current.
    pub(crate) fn with_context(self) -> (Self, CUcontext) {
        let scene = self.initialised();
        let context = scene.create_context(0);
        (scene, context)
    }

    /// Creates a context, which is current then.
    pub(crate) fn create_context(&self, device: i32) -> CUcontext {
        let mut context = CUcontext(std::ptr::null_mut());
        assert_eq!(call!(self.cuda, cuCtxCreate_v2(&raw mut context, 0, device)), CUresult::SUCCESS);
        context
    }

    /// What really is on the first device.
    pub(crate) fn truth(&self) -> DeviceTruth {
        let options = ConnectOptions::from_environment(Kind::Observer, self.branch, None);
        let observer = Client::connect(&options).unwrap_or_else(|error| panic!("{error}"));
        observer.truth().expect("an observer may know").devices[0]
    }
}

/// A test to be played on the usual branches, or on every one.
pub(crate) struct Play {
    branches: &'static [&'static str],
    devices: u32,
    environment: Vec<(&'static str, String)>,
}

impl Play {
    /// On a machine of one device, unless [`Play::devices`] says otherwise.
    pub(crate) fn new() -> Self {
        Self { branches: &USUAL, devices: 1, environment: Vec::new() }
    }

    /// On branches that have what came with CUDA 13.
    pub(crate) fn newest() -> Self {
        Self { branches: &NEWEST, ..Self::new() }
    }

    /// On every branch.
    pub(crate) fn everywhere() -> Self {
        Self { branches: &BRANCHES, ..Self::new() }
    }

    /// On these branches.
    pub(crate) fn on(branches: &'static [&'static str]) -> Self {
        Self { branches, ..Self::new() }
    }

    /// On a machine of so many devices.
    pub(crate) fn devices(self, devices: u32) -> Self {
        Self { devices, ..self }
    }

    /// With a variable in the environment.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.environment.push((name, value.into()));
        self
    }

    /// Plays `test` once for each branch. To be the only statement of a test, and `test` a closure written there: its
    /// name says which test it belongs to.
    pub(crate) fn run<F: Fn(Scene)>(self, test: F) {
        if let Ok(branch) = env::var(BRANCH) {
            let branch = BRANCHES.into_iter().find(|known| *known == branch).expect("a known branch");
            return test(Scene { branch, cuda: Cuda::load(&library(branch)) });
        }
        for branch in self.branches {
            let folder = new_folder();
            let output = this_test::<F>()
                .env(BRANCH, branch)
                .env_remove("CUDA_VISIBLE_DEVICES")
                .env("VGPU_SIM_SOCKET", folder.join("socket"))
                .env("VGPU_SIM_KERNEL", staged("bin/vgpu-sim-kernel"))
                .env("VGPU_SIM_DEVICES", self.devices.to_string())
                .env("VGPU_SIM_IDLE_MS", "0")
                .envs(self.environment.iter().map(|(name, value)| (name, value)))
                .output()
                .expect("this very program");
            let _ = fs::remove_dir_all(folder);
            let said = String::from_utf8_lossy(&output.stdout);
            let complained = String::from_utf8_lossy(&output.stderr);
            assert!(said.contains(" 1 passed"), "branch {branch}: {}\n{said}{complained}", output.status);
        }
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

/// A folder for a machine, or for files, that no other test has.
pub(crate) fn new_folder() -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    // Short, because the name of a socket may have 107 bytes only.
    env::temp_dir().join(format!("vgpu-cuda-{}-{number}", std::process::id()))
}

/// The shared object of a branch.
pub(crate) fn library(branch: &str) -> PathBuf {
    staged(&format!("sim/{branch}/libcuda.so.1"))
}

fn staged(place: &str) -> PathBuf {
    let beside_the_target = || Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("stage");
    let path = env::var_os("VGPU_STAGE").map_or_else(beside_the_target, PathBuf::from).join(place);
    assert!(path.exists(), "{} is missing: run `cargo xtask stage`, or set VGPU_STAGE", path.display());
    path
}
