//! PID namespaces: processes are listed under the ids that `ps` shows to whoever asks.

use super::clients;
use crate::machine::{CONTEXT, Machine};
use crate::puppet::Puppet;
use crate::run::Run;
use crate::stage;
use std::process::Command;

const QUERY: &str = "--query-compute-apps=pid,used_memory --format=csv,noheader";
const BRANCH: &str = "550";

/// `sh` in a PID namespace of its own, with `/proc` of that; `None` where this machine does not allow it, and then the test
/// says so.
fn shell_inside(machine: &Machine, script: &str) -> Option<Run> {
    let arguments = ["--pid", "--fork", "--kill-child", "--mount-proc"];
    let allowed = Command::new("unshare").args(arguments).arg("true").output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        println!("skipped: a PID namespace needs root and util-linux");
        return None;
    }
    let run = arguments.into_iter().fold(Run::natively("unshare"), Run::arg).arg("sh").arg("-euc");
    // The library is for the programs inside: `unshare` itself would join the slice from outside.
    let script = format!("export LD_PRELOAD={}; {script}", stage::library().display());
    Some(machine.in_container(machine.on(run), "4g").arg(script))
}

/// Starts a puppet with a context as the script's child and waits for it.
fn with_puppet(rest: &str) -> String {
    let puppet = stage::file("bin/puppet");
    format!(
        "mkfifo $0/in $0/out; {} <$0/in >$0/out & exec 3>$0/in 4<$0/out; \
         echo cuInit 0 >&3; read answer <&4; echo cuCtxCreate_v2 out 0 0 >&3; read answer <&4; {rest}",
        puppet.display()
    )
}

#[test]
fn inside_a_pid_namespace_nvidia_smi_shows_the_ids_that_ps_shows() {
    let Some(smi) = clients::path(BRANCH).map(|path| path.display().to_string()) else { return };
    let machine = Machine::new();
    let _other = Puppet::with_context(machine.native());
    let script = with_puppet(&format!("ps -o pid= -C puppet; {smi} {QUERY}; {smi} pmon -c 1"));
    let Some(run) = shell_inside(&machine, &script) else { return };
    let said = run.arg(machine.directory("inside")).said();
    let lines: Vec<&str> = said.output.lines().collect();
    let [pid, listed, monitored @ ..] = &lines[..] else { panic!("{said:#?}") };
    let pid: u32 = pid.trim().parse().unwrap();
    assert!(pid < 100, "not the id of the outer namespace: {said:#?}");
    assert_eq!(*listed, format!("{pid}, {} MiB", CONTEXT >> 20), "{said:#?}");
    let [_, _, row] = monitored else { panic!("{said:#?}") };
    assert_eq!(row.split_whitespace().collect::<Vec<_>>()[1..3], [&pid.to_string(), "C"]);
}

#[test]
fn from_outside_a_process_in_an_inner_namespace_has_its_outer_id() {
    let Some(smi) = clients::path(BRANCH) else { return };
    let machine = Machine::new();
    let Some(run) = shell_inside(&machine, &with_puppet("echo ready; read line")) else { return };
    let mut inside = run.arg(machine.directory("inside")).start();
    let mut ready = String::new();
    let output = inside.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut ready).unwrap();
    assert_eq!(ready, "ready\n");
    let query = |run: Run| QUERY.split(' ').fold(machine.on(run), Run::arg);
    let native = query(Run::natively(&smi)).output();
    let own = machine.in_container(query(Run::preloaded(&smi)), "4g").output();
    assert_eq!(native.lines().count(), 1, "{native}");
    assert_eq!(own, native, "the simulated machine tells outer ids");
    drop(inside.stdin.take());
    inside.wait().unwrap();
}

#[test]
fn from_inside_a_process_outside_has_no_id_and_its_memory_is_used_all_the_same() {
    let Some(smi) = clients::path(BRANCH).map(|path| path.display().to_string()) else { return };
    let machine = Machine::new();
    let _outside = Puppet::with_context(machine.limited("4g"));
    let memory = "--query-gpu=memory.used --format=csv,noheader";
    let Some(run) = shell_inside(&machine, &format!("{smi} {QUERY}; {smi} {memory}")) else { return };
    assert_eq!(run.output(), format!("{} MiB\n", CONTEXT >> 20));
}

#[test]
fn inside_a_pid_namespace_use_is_what_was_metered_in_percent_of_the_share() {
    let Some(smi) = clients::path(BRANCH).map(|path| path.display().to_string()) else { return };
    let machine = Machine::new();
    let _other = Puppet::with_context(machine.native());
    // 2 ms at a time, in a slice of a half; and a slice that is not used.
    let launcher = stage::file("bin/launcher").display().to_string();
    let asked = "--query-gpu=utilization.gpu --format=csv,noheader,nounits";
    // Until it is much more than the 50 of the whole card, however long a slow machine needs for that.
    let script = format!(
        "{smi} {asked}; {launcher} medium --seconds 120 >$0/said & \
         while kill -0 $!; do used=$({smi} {asked}); echo $used; [ $used -le 70 ] || break; done; kill $!"
    );
    let Some(run) = shell_inside(&machine, &script) else { return };
    let said = run.env("CUDA_DEVICE_SM_LIMIT", "50").arg(machine.directory("inside")).said();
    let told: Vec<u32> = said.output.lines().map(|line| line.trim().parse().unwrap()).collect();
    assert_eq!(told[0], 0, "{said:#?}");
    assert!(told.last() > Some(&70), "{said:#?}");
}
