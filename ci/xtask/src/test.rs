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
    // Cargo lets `--workspace` win over `--package`.
    let all = (!chooses_package(arguments)).then_some("--workspace");
    let tests = Run::cargo("test").arg("--no-fail-fast").args(all).args(arguments);
    clients.tell(tests).env("VGPU_STAGE", workspace.stage()).dir(workspace.root()).run()
}

/// Do the arguments of cargo, before those of the tests, say which crates?
fn chooses_package(arguments: &[String]) -> bool {
    let cargos = arguments.iter().take_while(|argument| *argument != "--");
    cargos.into_iter().any(|argument| {
        argument.starts_with("--package") || (argument.starts_with("-p") && !argument.starts_with("--"))
    })
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

#[cfg(test)]
mod tests {
    use super::chooses_package;

    #[test]
    fn tests_of_one_crate_ran_all() {
        let chooses = |line: &str| chooses_package(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(chooses("-p policy quota"));
        assert!(chooses("-ppolicy"));
        assert!(chooses("--package=policy"));
        assert!(!chooses("quota -- -p"));
    }
}
