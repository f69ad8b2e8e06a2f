//! The real nvidia-smi inside a slice: every way in which it shows processes and memory agrees.

use super::clients::{nvidia_smi, preloaded_nvidia_smi};
use crate::machine::{CONTEXT, Machine};
use crate::patience::eventually;
use crate::puppet::Puppet;
use crate::run::{Run, Said};

const MIB: u64 = 1 << 20;
/// Branches of whose table enough is known.
const KNOWN: [&str; 2] = ["535", "550"];
/// What a context takes, as nvidia-smi writes it.
const CONTEXT_MIB: u64 = CONTEXT / MIB;

/// A process on a device: its id, and the MiB that are shown for it.
type Shown = (u32, u64);

/// Two containers on one machine, with a process that has no limit.
struct Scene {
    branch: &'static str,
    machine: Machine,
    puppets: Vec<Puppet>,
}

impl Scene {
    fn new(branch: &'static str) -> Self {
        let machine = Machine::with(branch, 1);
        let runs = [
            (machine.limited("4g"), 100),
            (machine.limited("4g"), 200),
            (Self::other_container(&machine, machine.preloaded()), 300),
            (machine.native(), 400),
        ];
        let puppets = runs.into_iter().map(|(run, mib)| tenant(run, mib)).collect();
        Self { branch, machine, puppets }
    }

    fn other_container(machine: &Machine, run: Run) -> Run {
        machine.in_container(run, "2g").env("CUDA_DEVICE_MEMORY_SHARED_CACHE", machine.path("other"))
    }

    /// The puppets in `range`, by id.
    fn expected(&self, range: std::ops::Range<usize>) -> Vec<Shown> {
        let mut shown: Vec<_> =
            range.map(|at| (self.puppets[at].pid(), CONTEXT_MIB + 100 * (at as u64 + 1))).collect();
        shown.sort_unstable();
        shown
    }

    /// What nvidia-smi prints in the first container; `None` without an nvidia-smi.
    fn first(&self, arguments: &[&str]) -> Option<String> {
        let run = preloaded_nvidia_smi(&self.machine, self.branch, arguments)?;
        Some(self.machine.in_container(run, "4g").output())
    }

    /// What nvidia-smi prints in the second container; `None` without an nvidia-smi.
    fn second(&self, arguments: &[&str]) -> Option<String> {
        let run = preloaded_nvidia_smi(&self.machine, self.branch, arguments)?;
        Some(Self::other_container(&self.machine, run).output())
    }
}

fn tenant(run: Run, mib: u64) -> Puppet {
    let mut puppet = Puppet::with_context(run);
    puppet.allocate(mib * MIB).unwrap();
    puppet
}

/// A way to ask for processes, and how to read the answer.
type Way = (&'static [&'static str], fn(&str) -> Vec<Shown>);

const WAYS: [Way; 4] = [
    (&[], in_the_box),
    (&["--query-compute-apps=pid,used_memory", "--format=csv,noheader"], in_the_query),
    (&["-q", "-d", "PIDS"], in_the_report),
    (&["pmon", "-c", "1", "-s", "m"], in_the_monitor),
];

/// `|    0   N/A  N/A     30106      C   .../puppet      426MiB |`
fn in_the_box(text: &str) -> Vec<Shown> {
    let rows = text.lines().skip_while(|line| !line.contains("Processes:")).map(words);
    rows.filter(|words| words.get(4).is_some_and(|pid| pid.parse::<u32>().is_ok()))
        .map(|words| (words[4].parse().unwrap(), mib(words[words.len() - 2])))
        .collect()
}

/// `30106, 426 MiB`
fn in_the_query(text: &str) -> Vec<Shown> {
    let row = |line: &str| {
        let (pid, used) = line.split_once(", ").unwrap();
        (pid.parse().unwrap(), mib(&used.replace(' ', "")))
    };
    text.lines().map(row).collect()
}

/// `Process ID : 30106` and, some lines below, `Used GPU Memory : 426 MiB`
fn in_the_report(text: &str) -> Vec<Shown> {
    let values = |name: &str| {
        let lines: Vec<_> = text.lines().filter(|line| line.trim_start().starts_with(name)).collect();
        lines.iter().map(|line| line.split_once(": ").unwrap().1.replace(' ', "")).collect::<Vec<_>>()
    };
    let pids = values("Process ID");
    let used = values("Used GPU Memory");
    assert_eq!(pids.len(), used.len(), "{text}");
    pids.iter().zip(used).map(|(pid, used)| (pid.parse().unwrap(), mib(&used))).collect()
}

/// `    0      30106     C    426      0    puppet`
fn in_the_monitor(text: &str) -> Vec<Shown> {
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(words);
    rows.filter(|words| words[1] != "-").map(|words| (words[1].parse().unwrap(), mib(words[3]))).collect()
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn mib(text: &str) -> u64 {
    text.trim_end_matches("MiB").parse().unwrap_or_else(|_| panic!("{text} is no size"))
}

fn sorted(mut shown: Vec<Shown>) -> Vec<Shown> {
    shown.sort_unstable();
    shown
}

#[test]
fn two_containers_see_each_their_own_processes_in_every_report_of_nvidia_smi() {
    for branch in KNOWN {
        let scene = Scene::new(branch);
        for (arguments, read) in WAYS {
            let Some(first) = scene.first(arguments) else { return };
            assert_eq!(sorted(read(&first)), scene.expected(0..2), "{branch} {arguments:?}\n{first}");
            let Some(second) = scene.second(arguments) else { return };
            assert_eq!(sorted(read(&second)), scene.expected(2..3), "{branch} {arguments:?}\n{second}");
        }
    }
}

#[test]
fn without_the_library_nvidia_smi_shows_everybody() {
    for branch in KNOWN {
        let scene = Scene::new(branch);
        for (arguments, read) in WAYS {
            let Some(run) = nvidia_smi(&scene.machine, branch, arguments) else { return };
            let text = run.output();
            assert_eq!(sorted(read(&text)), scene.expected(0..4), "{branch} {arguments:?}\n{text}");
        }
    }
}

#[test]
fn nvidia_smi_shows_the_size_and_the_use_of_the_slice() {
    for branch in KNOWN {
        let scene = Scene::new(branch);
        let used = 2 * CONTEXT_MIB + 300;
        let Some(table) = scene.first(&[]) else { return };
        let together = words(&table).join(" ");
        assert!(together.contains(&format!("| {used}MiB / 4096MiB |")), "{branch}\n{table}");
        let asked =
            ["--query-gpu=memory.total,memory.used,memory.free,memory.reserved", "--format=csv,noheader"];
        let Some(row) = scene.first(&asked) else { return };
        assert_eq!(row, format!("4096 MiB, {used} MiB, {} MiB, 0 MiB\n", 4096 - used), "{branch}");
    }
}

#[test]
fn nvidia_smi_monitors_what_the_slices_processes_use_alone() {
    for branch in KNOWN {
        let machine = Machine::frozen(branch);
        let own = tenant(machine.limited("4g"), 100);
        let other = tenant(machine.native(), 100);
        let show = || {
            let run = preloaded_nvidia_smi(&machine, branch, &["pmon", "-c", "1", "-s", "u"])?;
            Some(machine.in_container(run, "4g").output())
        };
        if show().is_none() {
            return;
        }
        // The machine tells use once a window of it has passed.
        let text = eventually("use of the slice's process", || {
            show().filter(|text| !words(text.lines().last().unwrap())[3].starts_with('-'))
        });
        let rows: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).map(words).collect();
        let [row] = &rows[..] else { panic!("{branch}\n{text}") };
        // Half of the samples are the other's, and nvidia-smi shows the mean over all of them.
        assert_eq!(row[1..5], [&*own.pid().to_string(), "C", "18", "2"], "{branch}\n{text}");
        assert!(!words(&text).contains(&&*other.pid().to_string()), "{branch}\n{text}");
    }
}

#[test]
fn the_switch_gives_nvidia_smi_the_drivers_own_table() {
    for branch in KNOWN {
        let scene = Scene::new(branch);
        let (arguments, read) = WAYS[1];
        let Some(run) = preloaded_nvidia_smi(&scene.machine, branch, arguments) else { return };
        let run = scene.machine.in_container(run, "4g").env("VGPU_NVIDIA_SMI_TABLE", "off");
        assert_eq!(sorted(read(&run.output())), scene.expected(0..4), "{branch}");
    }
}

/// What the newest nvidia-smi that there is does in a container, on the library of another branch.
fn on_another_branch(branch: &'static str, arguments: &[&str]) -> Option<(Scene, Said)> {
    let scene = Scene::new(branch);
    let run = preloaded_nvidia_smi(&scene.machine, KNOWN[1], arguments)?;
    let said = scene.machine.in_container(run, "4g").said();
    Some((scene, said))
}

#[test]
fn on_branch_580_processes_are_the_slices_and_what_they_use_is_not_shown() {
    for (arguments, read) in WAYS {
        let Some((scene, said)) = on_another_branch("580", arguments) else { return };
        assert_eq!(sorted(read(&said.output)), scene.expected(0..2), "{arguments:?}\n{said:#?}");
    }
    let Some((_, said)) = on_another_branch("580", &["pmon", "-c", "1", "-s", "u"]) else { return };
    let use_of = |line: &str| words(line)[3..6].concat();
    let rows = said.output.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(rows.map(use_of).collect::<Vec<_>>(), ["---", "---"], "{said:#?}");
}

/// nvidia-smi itself then refuses to monitor, and says so.
#[test]
fn on_a_branch_whose_table_is_not_known_nobody_is_shown_and_memory_is_the_slices() {
    for branch in ["470", "570", "615"] {
        for (arguments, _) in WAYS {
            let Some((scene, said)) = on_another_branch(branch, arguments) else { return };
            let shown = words(&said.output);
            let pids = scene.expected(0..4).into_iter().map(|(pid, _)| pid.to_string());
            let seen: Vec<_> =
                pids.filter(|pid| shown.iter().any(|word| word.trim_end_matches(',') == pid)).collect();
            assert!(seen.is_empty(), "{branch} {arguments:?} {seen:?}\n{said:#?}");
        }
        let Some((_, table)) = on_another_branch(branch, &[]) else { return };
        let together = words(&table.output).join(" ");
        assert!(together.contains("No running processes found"), "{branch}\n{table:#?}");
        // The library of 470 lacks what this nvidia-smi asks for memory.
        let memory = format!("| {}MiB / 4096MiB |", 2 * CONTEXT_MIB + 300);
        assert!(branch == "470" || together.contains(&memory), "{branch}\n{table:#?}");
    }
}
