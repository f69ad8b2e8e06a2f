//! Use of a GPU, of whose time the slice has a share.

use super::clients::preloaded_nvidia_smi;
use super::lists::listed_with_use;
use crate::machine::Machine;
use crate::patience::eventually;
use crate::puppet::Puppet;
use crate::run::Run;
use contract::env;

/// `run` in a container that has so many percent of the GPU's time.
fn with_share(machine: &Machine, run: Run, percent: &str) -> Run {
    machine.in_container(run, "4g").env(env::SM_LIMIT, percent)
}

#[test]
fn use_is_told_in_percent_of_the_share() {
    // The GPU and each process on it seem to be used by 37 percent, their memory by 5.
    let machine = Machine::frozen("550");
    let own = Puppet::with_context(machine.limited("4g"));
    for (percent, gpu, memory) in [("100", 37, 5), ("50", 74, 10), ("40", 93, 13), ("20", 100, 25)] {
        let said = listed_with_use(&machine, |run| with_share(&machine, run, percent));
        assert_eq!(said["rates"], format!("0 {gpu} {memory}"), "{percent}");
        assert_eq!(said["use"], format!("0 {}/{gpu}", own.pid()), "{percent}");
    }
}

#[test]
fn nvidia_smi_monitors_use_in_percent_of_the_share() {
    for branch in ["535", "550"] {
        let machine = Machine::frozen(branch);
        let own = Puppet::with_context(machine.limited("4g"));
        let show = || {
            let run = preloaded_nvidia_smi(&machine, branch, &["pmon", "-c", "1", "-s", "u"])?;
            let text = with_share(&machine, run, "50").output();
            let row = text.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
            Some(row.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
        if show().is_none() {
            return;
        }
        // The machine tells use once a window of it has passed.
        let row = eventually("use of the slice's process", || {
            show().filter(|row| row.get(3).is_some_and(|used| !used.starts_with('-')))
        });
        assert_eq!(row[1..5], [&*own.pid().to_string(), "C", "74", "10"], "{branch}");
    }
}
