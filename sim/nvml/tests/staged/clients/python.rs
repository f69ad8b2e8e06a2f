//! Clients in Python, of the interpreter `$VGPU_PYTHON` or else `python3`.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use super::{move_in, output, skip};
use crate::scene::play;

fn python() -> Command {
    Command::new(env::var_os("VGPU_PYTHON").unwrap_or_else(|| OsString::from("python3")))
}

/// Whether the interpreter has this module; if not, says so.
fn has(module: &str, package: &str, test: &str) -> bool {
    let found = python().args(["-c", &format!("import {module}")]).output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        skip(
            test,
            &format!(
                "no {package} here: `cargo xtask clients` prepares an interpreter, VGPU_PYTHON names it"
            ),
        );
    }
    found
}

#[test]
fn nvidia_ml_py_reads_the_machine() {
    if !has("pynvml", "nvidia-ml-py", "nvidia_ml_py_reads_the_machine") {
        return;
    }
    play(2, |scene| {
        let _tenants = move_in(&scene);
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/staged/clients/gpus.py");
        let expected = format!(
            "NVIDIA H100 80GB HBM3 GPU-76677075-2073-496d-a040-008000000000 00000000:1B:00.0\n\
             81559 559 426 37 5\n\
             {} 426\n\
             Not Supported\nNot Supported\n\
             NVIDIA H100 80GB HBM3 GPU-76677075-2073-496d-a040-008000000001 00000000:1C:00.0\n\
             81559 559 0 37 5\n\
             Not Supported\nNot Supported\n",
            std::process::id()
        );
        assert_eq!(output(&scene, python().arg(script)), expected);
    });
}

#[test]
fn gpustat_shows_the_card_and_its_processes() {
    if !has("gpustat", "gpustat", "gpustat_shows_the_card_and_its_processes") {
        return;
    }
    play(1, |scene| {
        let _tenants = move_in(&scene);
        let shown = output(&scene, python().args(["-m", "gpustat", "--no-color", "--show-pid"]));
        assert!(shown.contains("NVIDIA H100 80GB HBM3 | 43°C,  37 % |   426 / 81559 MB |"), "{shown}");
        assert!(shown.contains(&format!("/{}(426M)", std::process::id())), "{shown}");
    });
}

#[test]
fn nvitop_shows_the_card_and_its_processes() {
    if !has("nvitop", "nvitop", "nvitop_shows_the_card_and_its_processes") {
        return;
    }
    play(1, |scene| {
        let _tenants = move_in(&scene);
        let shown = output(&scene, python().args(["-m", "nvitop", "--once", "--ascii"]));
        assert!(shown.contains("426.0MiB / 79.65GiB"), "{shown}");
        assert!(shown.contains(&format!(" {} C ", std::process::id())), "{shown}");
    });
}
