//! Without a limit, clients print what they print without the library.

use super::clients::{nvidia_smi, preloaded_nvidia_smi};
use crate::compile;
use crate::machine::{BRANCHES, Machine};
use crate::puppet::Puppet;
use crate::run::Run;

#[test]
fn nvidia_smi_prints_the_same() {
    for branch in ["535", "550"] {
        let machine = Machine::frozen(branch);
        let _tenants = [machine.native(), machine.preloaded()].map(Puppet::with_context);
        for arguments in [
            &[][..],
            &["-q"],
            &["-L"],
            &["pmon", "-c", "1", "-s", "m"],
            &["dmon", "-c", "1"],
            &["--query-compute-apps=pid,name,used_memory", "--format=csv"],
            &["--query-gpu=name,uuid,memory.total,memory.used,utilization.gpu", "--format=csv"],
            &["topo", "-m"],
        ] {
            let Some(native) = nvidia_smi(&machine, branch, arguments) else { return };
            let Some(preloaded) = preloaded_nvidia_smi(&machine, branch, arguments) else { return };
            let [native, preloaded] = [native, preloaded].map(|run| {
                let said = run.said();
                (without_time(&said.output), said.errors, said.status)
            });
            assert_eq!(native, preloaded, "{branch} {arguments:?}");
        }
    }
}

/// The text without the lines that say what time it is: the first of the table, and one of the report.
fn without_time(text: &str) -> String {
    let timeless = text.lines().filter(|line| {
        let years = line
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .filter(|year| (2020..2100).contains(year));
        !(line.starts_with("Timestamp") || years.count() == 1 && line.contains(':') && !line.contains('|'))
    });
    timeless.collect::<Vec<_>>().join("\n")
}

#[test]
fn lists_of_processes_are_the_same() {
    for branch in BRANCHES {
        let machine = Machine::frozen(branch);
        let _tenants = [machine.native(), machine.preloaded()].map(Puppet::with_context);
        let program = compile::program(&machine.path(""), "processes_listed.c", &[]);
        let [native, preloaded] = [Run::natively(&program), Run::preloaded(&program)]
            .map(|run| without_use(&machine.on(run).output()));
        assert_eq!(native, preloaded, "{branch}");
        assert!(native.contains("number: 7 2\n"), "{native}");
    }
}

/// The text without what it says of use, which the machine tells only after a while.
fn without_use(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("use:")).flat_map(|line| [line, "\n"]).collect()
}
