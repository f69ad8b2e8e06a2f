//! `vgpu doctor` from outside.

use std::fs;

use crate::machine::{Machine, stderr, stdout};

#[test]
fn a_machine_on_which_nothing_is_wrong() {
    let machine = Machine::new();
    let output = machine.vgpu(&["doctor", "--sim", "--", "sh"]).output().expect("it runs");
    let text = stdout(&output);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()), "{text}");
    for line in [
        "ok    libnvidia-ml       driver 550.163.01, CUDA up to 12.4",
        "ok    GPUs               2, the first is NVIDIA H100 80GB HBM3",
        "ok    nvidia-smi         inside a slice it lists the slice's processes (driver branch 550)",
        "ok    command            sh can be limited",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    assert!(
        text.contains("libvgpu.so can be preloaded") && text.contains(" checks stops vgpu here."),
        "{text}"
    );
}

#[test]
fn everything_that_fails_is_named_and_the_status_is_1() {
    let machine = Machine::new();
    fs::remove_file(machine.at("lib/libvgpu.so")).expect("it is there");
    fs::write(machine.at("lib/libvgpu.so"), "no library").expect("a file");
    let mut command = machine.vgpu(&["doctor", "--sim", "--json", "--", "no-such-command"]);
    let output = command.env("CUDA_DEVICE_SM_LIMIT", "lots").env("FAKE_LOST", "1").output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["version"], &report["ok"]), (&1.into(), &false.into()));
    let of = |status: &str| -> Vec<String> {
        let checks = report["checks"].as_array().expect("a list").iter();
        let some = checks.filter(|check| check["status"] == status);
        some.map(|check| check["check"].as_str().expect("a text").to_owned()).collect()
    };
    assert_eq!(of("fail"), ["libvgpu.so", "variables", "command"]);
    assert!(of("warn").contains(&"GPUs".to_owned()));
    let fixes = report["checks"].as_array().expect("a list").iter();
    assert!(fixes.filter(|check| check["status"] != "ok").all(|check| check["fix"].is_string()), "{report}");
}

#[test]
fn a_machine_without_a_driver() {
    let machine = Machine::new();
    fs::create_dir(machine.at("no-driver")).expect("a directory");
    fs::write(machine.at("no-driver/libnvidia-ml.so.1"), "").expect("a file that is no library");
    let output =
        machine.vgpu(&["doctor"]).env("LD_LIBRARY_PATH", machine.at("no-driver")).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.lines().any(|line| line.starts_with("FAIL  libnvidia-ml       no GPU driver: ")), "{text}");
}

#[test]
fn a_simulated_gpu_that_does_not_start_is_no_matter_of_driver_versions() {
    let machine = Machine::new();
    let output = machine.vgpu(&["doctor", "--sim"]).env("FAKE_ABSENT", "1").output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("why the simulated GPU did not start"), "{}", stdout(&output));
}
