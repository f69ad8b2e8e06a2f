//! `vgpu run` when nothing can be run: the exit status, and one line that says what helps.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use crate::machine::{FIRST, Machine, NAME, SECOND, stderr, stdout};

/// The status and the lines of ours, when nothing was run.
pub(crate) fn refused(output: &Output, status: i32) -> String {
    assert_eq!(output.status.code(), Some(status), "{}", stderr(output));
    assert_eq!(stdout(output), "");
    let lines = stderr(output);
    assert!(lines.starts_with("vgpu: "), "{lines}");
    lines
}

#[test]
fn wrong_arguments_are_status_2_and_named() {
    let machine = Machine::new();
    let run = |options: &[&str]| refused(&machine.run(options, "echo no").output().expect("it runs"), 2);
    assert!(
        run(&["--memory", "1.5g"])
            .contains("1.5g is not a size; write whole bytes or a whole number with k, m, g")
    );
    for share in ["0", "101"] {
        let refusal = run(&["--cores", share]);
        assert!(refusal.contains(&format!("'{share}'")) && refusal.contains("from 1 to 100"), "{refusal}");
    }
    assert!(
        run(&["--gpus", "2"])
            .contains(&format!("there is no GPU 2; there is 0 ({NAME}, {FIRST}), 1 ({NAME}, {SECOND})"))
    );
    assert!(run(&["--gpus", ""]).contains("names no GPU"));
    assert!(run(&["--gpus", "0,GPU-aa"]).contains("are the same GPU"));
    assert!(run(&["--gpus", "GPU-a"]).contains("write more of the UUID"));
    let misspelt = run(&["--memroy", "1g"]);
    assert!(misspelt.contains("'--memroy'") && misspelt.contains("'--memory'"), "{misspelt}");
    assert!(!misspelt.contains("-- --memroy"), "{misspelt}");
    assert!(machine.slices().is_empty());
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
    let hostile = refused(&run("\u{1b}[2J\u{9b}m"), 127);
    assert!(hostile.starts_with("vgpu: \\u{1b}[2J\\u{9b}m: there is no such command"), "{hostile}");
    assert!(refused(&run(""), 127).starts_with("vgpu: the command's name is empty, "));
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
    let said = refused(&run(&["doctor", "--sim", "535"]), 2);
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
