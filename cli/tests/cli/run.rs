//! `vgpu run` from outside: what the command gets, and what is said and returned.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::machine::{FIRST, Machine, NAME, Running, SECOND, compile, page, stderr, stdout};
use crate::refusals::refused;
use contract::{Bytes, Percent};
use rustix::process::Signal;

#[test]
fn without_limits_the_command_is_all_there_is_to_see() {
    let machine = Machine::new();
    let output = machine.run(&[], "echo out; echo err >&2; exit 7").output().expect("it runs");
    assert_eq!(output.status.code(), Some(7));
    assert_eq!((stdout(&output), stderr(&output)), ("out\n".to_owned(), "err\n".to_owned()));
}

#[test]
fn standard_input_is_the_commands() {
    let machine = Machine::new();
    fs::write(machine.at("input"), "words\n").expect("a file");
    let mut command = machine.run(&[], "cat");
    let output =
        command.stdin(fs::File::open(machine.at("input")).expect("a file")).output().expect("it runs");
    assert_eq!(stdout(&output), "words\n");
}

#[test]
fn the_page_has_the_limit_for_each_gpu() {
    let machine = Machine::new();
    let running =
        Running::start(machine.run(&["--memory", "1Gi", "--cores", "30"], "echo ready; exec sleep 1000"));
    let [slice] = machine.slices().try_into().expect("one slice");
    let page = page(&slice);
    let entries = page.entries();
    assert_eq!(entries.iter().map(|entry| entry.uuid.to_string()).collect::<Vec<_>>(), [FIRST, SECOND]);
    for entry in entries {
        assert_eq!((entry.memory, entry.cores), (Some(Bytes(1 << 30)), Percent::new(30)));
    }
    running.signal(Signal::TERM);
}

#[test]
fn a_gpu_that_is_not_chosen_has_no_entry() {
    let machine = Machine::new();
    let script = "cat $VGPU_LIMITS_DIR/limits";
    for gpus in ["1", "GPU-ab", SECOND] {
        let output = machine.run(&["--gpus", gpus], script).output().expect("it runs");
        let page = contract::limits_page::Page::decode(&output.stdout).expect("a page");
        let [entry] = page.entries() else { panic!("{gpus}: {page:?}") };
        assert_eq!((entry.uuid.to_string().as_str(), entry.memory, entry.cores), (SECOND, None, None));
    }
}

#[test]
fn the_command_and_its_children_find_library_page_and_region() {
    let machine = Machine::new();
    let script =
        r#"sh -c 'echo "$LD_PRELOAD|$LD_LIBRARY_PATH|$CUDA_DEVICE_MEMORY_SHARED_CACHE|$VGPU_LIMITS_DIR"'"#;
    let mut command = machine.run(&[], script);
    command
        .env("LD_PRELOAD", "")
        .env("LD_LIBRARY_PATH", "/elsewhere")
        .env("CUDA_DEVICE_MEMORY_SHARED_CACHE", "/old");
    let output = command.output().expect("it runs");
    let line = stdout(&output);
    let parts: Vec<&str> = line.trim_end().split('|').collect();
    assert_eq!(parts[0], machine.at("lib/libvgpu.so").to_string_lossy());
    assert_eq!(parts[1], format!("{}:/elsewhere", machine.at("sim/550").display()));
    let slices = machine.at("runtime/vgpu/run-");
    assert!(parts[2].starts_with(&*slices.to_string_lossy()) && parts[2].ends_with("/region"), "{line}");
    assert!(parts[3].starts_with(&*slices.to_string_lossy()) && parts[3].ends_with("/limits"), "{line}");
}

#[test]
fn a_library_of_ones_own_by_any_path() {
    let machine = Machine::new();
    let mut command = machine.run(&[], "echo $LD_PRELOAD");
    let output =
        command.current_dir(machine.at("lib")).env("VGPU_LIBRARY", "libvgpu.so").output().expect("it runs");
    assert_eq!(stdout(&output).trim_end(), machine.at("lib/libvgpu.so").to_string_lossy());
}

#[test]
fn shares_that_exceed_a_gpu_are_warned_of() {
    let machine = Machine::new();
    let first = Running::start(machine.run(&["--cores", "70"], "echo ready; exec sleep 1000"));
    let fits = machine.run(&["--cores", "30"], "echo out").output().expect("it runs");
    assert_eq!((stdout(&fits).as_str(), stderr(&fits).as_str()), ("out\n", ""));
    let exceeds = machine.run(&["--cores", "31", "--gpus", "0"], "true").output().expect("it runs");
    assert_eq!(
        stderr(&exceeds),
        format!(
            "vgpu: warning: the 2 slices of GPU 0 ({NAME}) are promised 101 % of its time; while all of them use it, they get \
             less\n"
        )
    );
    let unlimited = machine.run(&["--cores", "31", "--policy", "none"], "true").output().expect("it runs");
    assert_eq!(stderr(&unlimited), "");
    first.signal(Signal::TERM);
}

#[test]
fn the_directory_of_a_slice_is_gone_with_it() {
    let machine = Machine::new();
    for script in ["true", "exit 3", "kill -9 $$"] {
        machine.run(&["--memory", "1Gi"], script).output().expect("it runs");
        assert!(machine.slices().is_empty(), "{script}");
    }
    machine.vgpu(&["run", "--sim", "--", "no-such-command"]).output().expect("it runs");
    assert!(machine.slices().is_empty());
}

#[test]
fn slices_that_exceed_a_gpu_are_warned_of() {
    let machine = Machine::new();
    let first = Running::start(machine.run(&["--memory", "50Gi"], "echo ready; exec sleep 1000"));
    let fits = machine.run(&["--memory", "20Gi"], "true").output().expect("it runs");
    assert_eq!(stderr(&fits), "");
    let exceeds = machine.run(&["--memory", "40Gi"], "true").output().expect("it runs");
    assert_eq!(exceeds.status.code(), Some(0));
    assert_eq!(
        stderr(&exceeds),
        format!(
            "vgpu: warning: the 2 slices of GPU 0 ({NAME}) add up to 92160 MiB, the GPU has 81559 MiB; an allocation inside \
             a limit may fail\n"
        )
    );
    let unlimited = machine.run(&[], "true").output().expect("it runs");
    assert_eq!(stderr(&unlimited), "");
    first.signal(Signal::TERM);
}

#[test]
fn a_limit_without_its_unit_is_warned_of() {
    let machine = Machine::new();
    let output = machine.run(&["--memory", "8"], "true").output().expect("it runs");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        stderr(&output),
        "vgpu: warning: --memory is 8 bytes, too little for any program; a unit follows the number, as in 8g\n"
    );
    assert_eq!(stderr(&machine.run(&["--memory", "1Mi"], "true").output().expect("it runs")), "");
}

#[test]
fn a_gpu_that_does_not_answer_is_left_out() {
    let machine = Machine::new();
    let output =
        machine.run(&[], "cat $VGPU_LIMITS_DIR/limits").env("FAKE_LOST", "0").output().expect("it runs");
    assert!(
        stderr(&output).starts_with("vgpu: warning: GPU 0 does not answer and is left out: "),
        "{}",
        stderr(&output)
    );
    let page = contract::limits_page::Page::decode(&output.stdout).expect("a page");
    assert_eq!(page.entries().len(), 1);
    let chosen = machine.run(&["--gpus", "0"], "true").env("FAKE_LOST", "0").output().expect("it runs");
    assert!(refused(&chosen, 125).contains("GPU 0 does not answer"));
}

#[test]
fn another_simulated_driver() {
    let machine = Machine::new();
    let mut command = machine.vgpu(&["run", "--sim=535", "--", "sh", "-c", "echo $LD_LIBRARY_PATH"]);
    let output = command.env_remove("LD_LIBRARY_PATH").output().expect("it runs");
    assert_eq!(stdout(&output).trim_end(), machine.at("sim/535").to_string_lossy());
    let unknown = machine.vgpu(&["run", "--sim=551", "--", "echo", "no"]).output().expect("it runs");
    assert!(
        refused(&unknown, 2).contains("--sim=551: there is no such simulated driver; use one of 535, 550")
    );
}

#[test]
fn the_simulated_machine_is_frozen_before_the_command_runs() {
    let machine = Machine::new();
    let program = machine.at("bin/vgpu-sim-kernel");
    fs::write(&program, "#!/bin/sh\necho $* > $SAID; exit $ANSWER\n").expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("mode");
    let run = |options: &[&str], answer: &str| {
        let mut command = machine.vgpu(&["run"]);
        command.args(options).args(["--", "echo", "ran"]).env_remove("VGPU_SIM_KERNEL");
        command.env("SAID", machine.at("said")).env("ANSWER", answer).output().expect("it runs")
    };
    assert_eq!(stdout(&run(&["--sim=535", "--sim-freeze", "37,5"], "0")), "ran\n");
    let said = fs::read_to_string(machine.at("said")).expect("it was started");
    assert_eq!(said, "start --profile 535 --freeze 37,5\n");
    let failed = refused(&run(&["--sim", "--sim-freeze", "37,5"], "1"), 125);
    assert_eq!(failed, "vgpu: the simulated GPU did not start; the line above says why\n");
    let real = refused(&run(&["--sim-freeze", "37,5"], "0"), 2);
    assert!(
        real.starts_with("vgpu: --sim-freeze 37,5: only the simulated GPU can be frozen; add --sim"),
        "{real}"
    );
    assert!(refused(&run(&["--sim", "--sim-freeze", "37"], "0"), 2).contains("in percent, as in 37,5"));
}

#[test]
fn a_command_that_limits_do_not_reach_is_warned_of() {
    let machine = Machine::new();
    let program = machine.at("static");
    fs::write(machine.at("static.c"), "int main(void) { return 5; }\n").expect("a file");
    compile(&["-static", &machine.at("static.c").to_string_lossy()], &program);
    let output = machine.vgpu(&["run", "--sim", "--"]).arg(&program).output().expect("it runs");
    assert_eq!(output.status.code(), Some(5));
    assert!(stderr(&output).starts_with("vgpu: warning: "), "{}", stderr(&output));
    assert!(stderr(&output).contains("static is statically linked"), "{}", stderr(&output));
}

#[test]
fn help_and_version() {
    let machine = Machine::new();
    let vgpu = |args: &[&str]| machine.vgpu(args).output().expect("it runs");
    let version = vgpu(&["--version"]);
    assert_eq!(stdout(&version), format!("vgpu {}\n", env!("CARGO_PKG_VERSION")));
    let help = vgpu(&["run", "--help"]);
    assert_eq!((help.status.code(), stderr(&help)), (Some(0), String::new()));
    assert!(stdout(&help).contains("vgpu run --memory 8Gi -- python train.py"));
    let list = stdout(&vgpu(&["help"]));
    for command in ["run", "ps", "top", "doctor", "demo"] {
        assert!(list.contains(&format!("\n  {command:<6}  ")), "{command} is not in\n{list}");
        assert!(stdout(&vgpu(&["help", command])).contains(&format!("Usage: vgpu {command}")), "{command}");
    }
    let nothing = vgpu(&[]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(stderr(&nothing).contains("Usage: vgpu <COMMAND>"), "{}", stderr(&nothing));
}
