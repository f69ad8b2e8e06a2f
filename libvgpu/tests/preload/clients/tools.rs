//! Tools that look at the card, beside two processes of a slice and one that is none of its business.

use super::{Start, file, program, python};
use crate::machine::{CONTEXT, MODERN, Machine};
use crate::puppet::Puppet;
use crate::run::Run;

/// A card on which everything is in use by 37 percent.
struct Scene {
    machine: Machine,
    /// Two in the slice, one outside of it; each has a context and nothing else.
    processes: [Puppet; 3],
}

/// What each of them is shown to use.
const CONTEXT_MIB: u64 = CONTEXT >> 20;

impl Scene {
    fn new(branch: &'static str) -> Self {
        let machine = Machine::frozen(branch);
        let runs = [machine.limited("4g"), machine.limited("4g"), machine.native()];
        let processes = runs.map(Puppet::with_context);
        Self { machine, processes }
    }

    /// What a Python client prints natively, and in the slice.
    fn python(&self, arguments: &[&str]) -> Option<[String; 2]> {
        let with = |start: Start| {
            let run = python(&self.machine, start)?.env("TERM", "dumb").env("COLUMNS", "120");
            Some(arguments.iter().fold(run, |run, argument| run.arg(argument)))
        };
        Some([with(Run::natively)?.output(), self.machine.in_container(with(Run::preloaded)?, "4g").output()])
    }

    fn pids(&self) -> [u32; 3] {
        [0, 1, 2].map(|at| self.processes[at].pid())
    }
}

#[test]
fn nvidia_ml_py_agrees_with_itself() {
    for branch in MODERN {
        let scene = Scene::new(branch);
        let script = program("gpus.py");
        let Some([native, slice]) = scene.python(&[script.to_str().unwrap()]) else { return };
        let all = scene.pids();
        assert_eq!(native, format!("memory 81559 {}\n{}", 3 * CONTEXT_MIB, listed(&all)), "{branch}");
        assert_eq!(slice, format!("memory 4096 {}\n{}", 2 * CONTEXT_MIB, listed(&all[..2])), "{branch}");
    }
}

/// How `gpus.py` lists processes: by their ids, which need not rise from each that is started to the next.
fn listed(pids: &[u32]) -> String {
    let mut pids = pids.to_vec();
    pids.sort_unstable();
    pids.iter().map(|pid| format!("process {pid} {CONTEXT_MIB}\n")).collect()
}

/// Whether this number is in the text, not only as a part of another.
fn has_number(text: &str, number: u32) -> bool {
    text.split(|letter: char| !letter.is_ascii_digit()).any(|word| word == number.to_string())
}

#[test]
fn gpustat_shows_the_slice() {
    for branch in MODERN {
        let scene = Scene::new(branch);
        let Some([native, slice]) = scene.python(&["-m", "gpustat", "--no-color", "--show-pid"]) else {
            return;
        };
        let [first, second, other] = scene.pids();
        assert!(native.contains(&format!("{} / 81559 MB", 3 * CONTEXT_MIB)), "{branch}: {native}");
        assert!(native.contains(&format!("/{other}({CONTEXT_MIB}M)")), "{branch}: {native}");
        assert!(slice.contains(&format!("{} /  4096 MB", 2 * CONTEXT_MIB)), "{branch}: {slice}");
        for own in [first, second] {
            assert!(slice.contains(&format!("/{own}({CONTEXT_MIB}M)")), "{branch}: {slice}");
        }
        assert!(!has_number(&slice, other), "{branch}: {slice}");
    }
}

#[test]
fn nvitop_shows_the_slice() {
    for branch in MODERN {
        let scene = Scene::new(branch);
        let Some([native, slice]) = scene.python(&["-m", "nvitop", "--once", "--ascii"]) else { return };
        let [first, second, other] = scene.pids();
        assert!(native.contains(&format!(" {other} C ")), "{branch}: {native}");
        assert!(slice.contains("852.0MiB / 4096MiB"), "{branch}: {slice}");
        for own in [first, second] {
            assert!(slice.contains(&format!(" {own} C ")), "{branch}: {slice}");
        }
        assert!(!slice.contains(&format!(" {other} C ")), "{branch}: {slice}");
    }
}

/// It draws on a terminal only, until somebody presses q.
#[test]
fn nvtop_shows_the_slice() {
    for branch in MODERN {
        let scene = Scene::new(branch);
        let Some(nvtop) = file("nvtop/usr/bin/nvtop") else { return };
        let Some(run) = python(&scene.machine, Run::preloaded) else { return };
        let [first, second, other] = scene.pids();
        let run = run.arg(program("terminal.py")).arg("q").arg(format!("{first},{second}")).arg(nvtop);
        let slice = scene.machine.in_container(run.env("TERM", "xterm"), "4g").output();
        assert!(slice.contains("4.000Gi"), "{branch}: {slice}");
        for own in [first, second] {
            assert!(slice.contains(&own.to_string()), "{branch}: {slice}");
        }
        assert!(!has_number(&slice, other), "{branch}: {slice}");
    }
}
