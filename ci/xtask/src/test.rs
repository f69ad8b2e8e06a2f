//! Running the tests.

use crate::clients::Clients;
use crate::command::Run;
use crate::stage;
use crate::workspace::Workspace;
use anyhow::Result;

/// Stages the product and prepares the clients, then runs every unit, integration and documentation test. Arguments go to
/// `cargo test`.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    stage::run(workspace, &[])?;
    let clients = Clients::prepare(workspace)?;
    let tests = Run::cargo("test").args(["--workspace", "--no-fail-fast"]).args(arguments);
    clients.tell(tests).env("VGPU_STAGE", workspace.stage()).dir(workspace.root()).run()
}

/// Crates with protocols between threads or processes, in the tests named `loom*`.
const MODELLED: [&str; 2] = ["shared-region", "tracker"];

/// Model-checks the protocols: every interleaving of a few threads. A build of its own, because of the flag.
pub(crate) fn loom(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    Run::cargo("test")
        .args(MODELLED.iter().flat_map(|name| ["--package", name]))
        .args(["--release", "--test", "loom*"])
        .args(arguments)
        .env("RUSTFLAGS", "--cfg loom")
        .env("CARGO_TARGET_DIR", workspace.target().join("loom"))
        .dir(workspace.root())
        .run()
}
