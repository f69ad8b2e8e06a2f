//! `vgpu run` from outside: what the command gets, and what is said and returned.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use crate::machine::{FIRST, Machine, NAME, Running, SECOND, compile, page, stderr, stdout};
use contract::{Bytes, Percent};
use rustix::process::Signal;

/// The status and the lines of ours, when nothing was run.
fn refused(output: &Output, status: i32) -> String {
    assert_eq!(output.status.code(), Some(status), "{}", stderr(output));
    assert_eq!(stdout(output), "");
    let lines = stderr(output);
    assert!(lines.starts_with("vgpu: "), "{lines}");
    lines
}

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
fn compute_limits_say_that_they_do_nothing_yet() {
    let machine = Machine::new();
    let output = machine.run(&["--cores", "30"], "echo out").output().expect("it runs");
    assert_eq!(stdout(&output), "out\n");
    assert_eq!(stderr(&output), "vgpu: --cores 30 is noted and not enforced yet\n");
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
fn wrong_arguments_are_status_2_and_named() {
    let machine = Machine::new();
    let run = |options: &[&str]| refused(&machine.run(options, "echo no").output().expect("it runs"), 2);
    assert!(
        run(&["--memory", "1.5g"])
            .contains("1.5g is not a size; write whole bytes or a whole number with k, m, g")
    );
    assert!(run(&["--cores", "101"]).contains("101"));
    assert!(
        run(&["--gpus", "2"])
            .contains(&format!("there is no GPU 2; there is 0 ({NAME}, {FIRST}), 1 ({NAME}, {SECOND})"))
    );
    assert!(run(&["--gpus", ""]).contains("names no GPU"));
    assert!(run(&["--gpus", "0,GPU-aa"]).contains("are the same GPU"));
    assert!(run(&["--gpus", "GPU-a"]).contains("write more of the UUID"));
    assert!(run(&["--memroy", "1g"]).contains("--memroy"));
    assert!(machine.slices().is_empty());
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
fn commands_that_cannot_be_run() {
    let machine = Machine::new();
    let run = |program: &str| machine.vgpu(&["run", "--sim", "--", program]).output().expect("it runs");
    assert!(
        refused(&run("no-such-command"), 127)
            .starts_with("vgpu: no-such-command: there is no such command in PATH; ")
    );
    assert!(
        refused(&run("/nowhere/command"), 127).starts_with("vgpu: /nowhere/command: there is no such file; ")
    );
    let file = machine.at("not-executable");
    fs::write(&file, "text").expect("a file");
    assert!(
        refused(&run(&file.to_string_lossy()), 126)
            .contains("not-executable: it is not executable; chmod +x ")
    );
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("mode");
    assert!(refused(&run(&file.to_string_lossy()), 126).contains("begin it with a line such as #!/bin/sh"));
    fs::write(&file, "#!/nowhere/sh\n").expect("a file");
    assert!(refused(&run(&file.to_string_lossy()), 126).contains("its interpreter /nowhere/sh, "));
}

#[test]
fn a_missing_command_is_asked_for() {
    let machine = Machine::new();
    let said = machine.vgpu(&["run", "--memory", "1g"]).output().expect("it runs");
    assert_eq!(said.status.code(), Some(2));
    assert!(stderr(&said).contains("no command is given; write it behind --"), "{}", stderr(&said));
}

#[test]
fn a_profile_without_its_equals_sign_is_no_command() {
    let machine = Machine::new();
    let run = |args: &[&str]| machine.vgpu(args).output().expect("it runs");
    let said = refused(&run(&["run", "--sim", "535", "--", "true"]), 2);
    assert_eq!(said, "vgpu: --sim 535: the profile follows an equals sign: write --sim=535\n");
    assert!(refused(&run(&["run", "--sim", "--", "536"]), 127).contains("no such command"));
    let help = stdout(&run(&["run", "--help"])).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        help.contains("the driver of PROFILE, one of 535, 550, as in --sim=535; 550 if there is none"),
        "{help}"
    );
}

#[test]
fn a_simulated_gpu_that_does_not_start_points_to_its_reason() {
    let machine = Machine::new();
    let output = machine.run(&[], "echo no").env("FAKE_ABSENT", "1").output().expect("it runs");
    assert!(refused(&output, 125).contains("did not start; the line above says why"));
}

#[test]
fn a_library_that_is_not_there_runs_nothing() {
    let machine = Machine::new();
    fs::remove_file(machine.at("lib/libvgpu.so")).expect("it is there");
    let output = machine.run(&[], "echo no").output().expect("it runs");
    assert!(refused(&output, 125).contains("lib/libvgpu.so: "));
    let output =
        machine.run(&[], "echo no").env("VGPU_LIBRARY", "/nowhere/libvgpu.so").output().expect("it runs");
    assert!(refused(&output, 125).contains("cannot preload /nowhere/libvgpu.so: "));
}

#[test]
fn a_machine_without_a_driver_is_told_of_the_simulator() {
    let machine = Machine::new();
    fs::create_dir(machine.at("no-driver")).expect("a directory");
    fs::write(machine.at("no-driver/libnvidia-ml.so.1"), "").expect("a file that is no library");
    let mut command = machine.vgpu(&["run", "--", "echo", "no"]);
    command.env("LD_LIBRARY_PATH", machine.at("no-driver"));
    let line = refused(&command.output().expect("it runs"), 125);
    assert!(line.starts_with("vgpu: no GPU driver: libnvidia-ml.so.1 cannot be loaded ("), "{line}");
    assert!(line.ends_with("; use --sim for a simulated GPU\n"), "{line}");
}

#[test]
fn a_slice_is_not_divided_further() {
    let machine = Machine::new();
    let output = machine
        .run(&["--memory", "1g"], "exec $VGPU run --memory 9g --sim -- echo no")
        .output()
        .expect("it runs");
    let line = refused(&output, 125);
    assert!(line.starts_with("vgpu: already inside a slice (VGPU_LIMITS_DIR="), "{line}");
}

#[test]
fn a_runtime_directory_of_others_is_refused() {
    let machine = Machine::new();
    fs::create_dir(machine.at("runtime/vgpu")).expect("a directory");
    fs::set_permissions(machine.at("runtime/vgpu"), fs::Permissions::from_mode(0o777)).expect("mode");
    let output = machine.run(&[], "echo no").output().expect("it runs");
    assert!(refused(&output, 125).contains("runtime/vgpu is not a directory that only this user may use"));
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
