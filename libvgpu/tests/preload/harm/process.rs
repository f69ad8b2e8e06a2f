//! What the process had before the first call it has after it.

use crate::machine::Machine;
use crate::puppet::Puppet;
use crate::run::Run;
use std::collections::BTreeSet;

/// What can be seen of a process from outside: open files, signal handlers, umask, number of threads.
#[derive(Debug, PartialEq, Eq)]
struct Process {
    files: Vec<String>,
    status: Vec<String>,
}

fn inspect(pid: u32) -> Process {
    let link = |entry: std::io::Result<std::fs::DirEntry>| std::fs::read_link(entry.unwrap().path());
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().filter_map(|entry| link(entry).ok());
    // Sockets and pipes have numbers of their own.
    let name = |path: std::path::PathBuf| path.to_string_lossy().split(':').next().unwrap().to_owned();
    let mut files: Vec<_> = files.map(name).collect();
    files.sort();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let kept = BTreeSet::from(["Umask", "Threads", "SigBlk", "SigIgn", "SigCgt", "NoNewPrivs", "Seccomp"]);
    let kept = |line: &&str| line.split(':').next().is_some_and(|key| kept.contains(key));
    Process { files, status: status.lines().filter(kept).map(str::to_owned).collect() }
}

/// The process and its environment after it has used the driver and NVML.
fn after_use(run: Run) -> (Process, String) {
    let mut puppet = Puppet::with_context(run);
    let address = puppet.allocate(4096).unwrap();
    puppet.ask("nvmlInit_v2");
    puppet.free(address);
    let environment = puppet.ask("environment");
    let own = ["LD_PRELOAD=", "CUDA_DEVICE_MEMORY_"];
    let environment =
        environment.split(' ').filter(|variable| !own.iter().any(|name| variable.starts_with(name)));
    (inspect(puppet.pid()), environment.collect::<Vec<_>>().join(" "))
}

#[test]
fn without_a_limit_nothing_of_the_process_changes() {
    let machine = Machine::new();
    assert_eq!(after_use(machine.preloaded()), after_use(machine.native()));
}

#[test]
fn with_a_limit_nothing_of_the_process_changes() {
    let machine = Machine::new();
    assert_eq!(after_use(machine.limited("1g")), after_use(machine.native()));
}

#[test]
fn without_a_limit_there_is_no_region() {
    let machine = Machine::new();
    let mut tenant = Puppet::with_context(machine.tenant());
    tenant.allocate(4096).unwrap();
    assert!(!machine.path("region").exists());
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", tenant.pid())).unwrap();
    assert!(!maps.contains("/dev/shm/vgpu"), "{maps}");
}

/// The files that a program without CUDA is made of, by its own account.
fn files_of(run: Run) -> BTreeSet<String> {
    let maps = run.arg("/proc/self/maps").output();
    maps.lines().filter_map(|line| line.split_once('/')).map(|(_, path)| path.to_owned()).collect()
}

#[test]
fn a_program_without_cuda_has_one_library_more() {
    let native = files_of(Run::natively("cat"));
    let preloaded = files_of(Run::preloaded("cat"));
    let more: Vec<_> = preloaded.difference(&native).filter_map(|path| path.rsplit('/').next()).collect();
    assert_eq!(more, ["libvgpu.so"]);
}

#[test]
fn the_exit_code_is_the_program_s() {
    let machine = Machine::new();
    for limit in ["0", "1g", "abc"] {
        let mut tenant = Puppet::start(machine.limited(limit));
        tenant.ask("cuInit 0");
        tenant.tell("exit 42");
        assert_eq!(tenant.end().0.code(), Some(42), "{limit}");
    }
}

#[test]
fn errno_is_what_the_driver_leaves_of_it() {
    let machine = Machine::new();
    let mut native = Puppet::with_context(machine.native());
    let mut limited = Puppet::with_context(machine.limited("1g"));
    let calls =
        ["cuMemGetInfo_v2 null out", "cuMemFree_v2 1", "cuCtxGetCurrent out", "cuDeviceTotalMem_v2 out 0"];
    for call in calls {
        let [native, limited] = [&mut native, &mut limited].map(|puppet| {
            let answer = puppet.ask(&format!("errno {call}"));
            answer.rsplit(' ').next().unwrap().to_owned()
        });
        assert_eq!(limited, native, "{call}");
    }
    assert_eq!(limited.ask("errno cuMemAlloc_v2 out 1073741824"), "2 errno 4242");
}

#[test]
fn nothing_is_said_when_all_is_well() {
    let machine = Machine::new();
    let mut tenant = Puppet::with_context(machine.limited("1g"));
    assert!(tenant.allocate(1 << 30).is_err());
    tenant.ask("nvmlInit_v2");
    assert_eq!(tenant.end().1, "");
}
