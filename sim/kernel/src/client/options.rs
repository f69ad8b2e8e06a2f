//! Where the machine is and how it is started.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use rustix::process::getuid;

use crate::protocol::Kind;

/// How to reach a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectOptions {
    /// What the connection is for.
    pub kind: Kind,
    /// Socket of the machine. Its directory must be owned by this user; it is made when it is missing.
    pub socket: PathBuf,
    /// The `vgpu-sim-kernel` program, to start the machine when it is not running. Without it, a machine that is not
    /// running is an error.
    pub program: Option<PathBuf>,
    /// File that describes the machine, for the case that it has to be started.
    pub config: Option<PathBuf>,
    /// Number of default devices, for the case that it has to be started and no file describes it.
    pub devices: Option<u32>,
}

impl ConnectOptions {
    /// The machine of this driver profile as the environment describes it: `VGPU_SIM_SOCKET`, else
    /// `/tmp/vgpu-sim-<uid>/<profile>.sock`; `VGPU_SIM_KERNEL`, else `program`. The machine reads `VGPU_SIM_CONFIG`,
    /// `VGPU_SIM_DEVICES` and `VGPU_SIM_IDLE_MS` when it starts.
    ///
    /// `program` is where the caller expects `vgpu-sim-kernel`; a library finds that relative to its own file.
    #[must_use]
    pub fn from_environment(kind: Kind, profile: &str, program: Option<PathBuf>) -> Self {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let socket = variable("VGPU_SIM_SOCKET")
            .map(PathBuf::from)
            .unwrap_or_else(|| default_socket(profile.as_ref()));
        let program = variable("VGPU_SIM_KERNEL").map(PathBuf::from).or(program);
        Self { kind, socket, program, config: variable("VGPU_SIM_CONFIG").map(PathBuf::from), devices: None }
    }
}

/// The socket of the machine that the driver libraries of `profile` use unless told otherwise.
pub(crate) fn default_socket(profile: &OsStr) -> PathBuf {
    let mut path = OsString::from(format!("/tmp/vgpu-sim-{}/", getuid().as_raw()));
    path.push(profile);
    path.push(".sock");
    path.into()
}
