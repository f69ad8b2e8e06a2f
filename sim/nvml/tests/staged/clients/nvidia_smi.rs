//! The real nvidia-smi of each branch, as `cargo xtask clients` prepares it.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use super::{move_in, output, skip};
use crate::scene::{Scene, play};

fn program(branch: &str) -> PathBuf {
    let home = || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cache");
    let cache =
        || env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty()).map_or_else(home, PathBuf::from);
    let clients = env::var_os("VGPU_CLIENTS").map_or_else(|| cache().join("vgpu/clients"), PathBuf::from);
    clients.join(format!("nvidia-smi-{branch}/usr/lib/nvidia/current/nvidia-smi"))
}

/// Whether both are here; if not, says so.
fn are_here(test: &str) -> bool {
    let missing = ["535", "550"].map(program).into_iter().find(|path| !path.is_file());
    if let Some(path) = &missing {
        skip(test, &format!("{} is missing: `cargo xtask clients` fetches it", path.display()));
    }
    missing.is_none()
}

fn nvidia_smi(scene: &Scene, arguments: &[&str]) -> String {
    output(scene, Command::new(program(scene.branch)).args(arguments))
}

#[test]
fn nvidia_smi_prints_the_card_and_its_processes() {
    if !are_here("nvidia_smi_prints_the_card_and_its_processes") {
        return;
    }
    play(2, |scene| {
        let _tenants = move_in(&scene);
        let table = nvidia_smi(&scene, &[]);
        let version = if scene.branch == "535" { "CUDA Version: 12.2" } else { "CUDA Version: 12.4" };
        let words = table.split_whitespace().collect::<Vec<_>>().join(" ");
        let pid = std::process::id();
        for part in [
            version,
            "| 0 NVIDIA H100 80GB HBM3 On | 00000000:1B:00.0 Off | 0 |",
            "| 1 NVIDIA H100 80GB HBM3 On | 00000000:1C:00.0 Off | 0 |",
            "| N/A 43C P0 284W / 700W | 426MiB / 81559MiB | 37% Default |",
            "| N/A 43C P0 284W / 700W | 0MiB / 81559MiB | 37% Default |",
            &format!("| 0 N/A N/A {pid} C "),
        ] {
            assert!(words.contains(part), "{part}\n{table}");
        }
        let processes = words.matches(" 426MiB |").count();
        assert_eq!(processes, 1, "{table}");
    });
}

#[test]
fn two_runs_on_a_frozen_machine_print_the_same() {
    if !are_here("two_runs_on_a_frozen_machine_print_the_same") {
        return;
    }
    play(1, |scene| {
        let _tenants = move_in(&scene);
        // The first line is the date.
        let table = || nvidia_smi(&scene, &[]).split_once('\n').map(|(_, table)| table.to_owned());
        let first = table();
        assert!(first.as_ref().is_some_and(|table| table.contains("81559MiB")), "{first:?}");
        assert_eq!(table(), first);
    });
}

#[test]
fn nvidia_smi_answers_its_queries() {
    if !are_here("nvidia_smi_answers_its_queries") {
        return;
    }
    play(1, |scene| {
        let _tenants = move_in(&scene);
        let list = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-76677075-2073-496d-a040-008000000000)\n";
        assert_eq!(nvidia_smi(&scene, &["-L"]), list);
        let gpu =
            "--query-gpu=name,pci.bus_id,memory.total,memory.used,memory.reserved,compute_cap,fan.speed";
        assert_eq!(
            nvidia_smi(&scene, &[gpu, "--format=csv,noheader"]),
            "NVIDIA H100 80GB HBM3, 00000000:1B:00.0, 81559 MiB, 426 MiB, 559 MiB, 9.0, [N/A]\n"
        );
        let processes = "--query-compute-apps=pid,used_memory";
        assert_eq!(
            nvidia_smi(&scene, &[processes, "--format=csv,noheader"]),
            format!("{}, 426 MiB\n", std::process::id())
        );
    });
}

#[test]
fn nvidia_smi_monitors_devices_and_processes() {
    if !are_here("nvidia_smi_monitors_devices_and_processes") {
        return;
    }
    play(1, |scene| {
        let _tenants = move_in(&scene);
        let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let devices = words(nvidia_smi(&scene, &["dmon", "-c", "1"]));
        assert!(devices.contains(" 0 284 43 52 37 5 0 0 "), "{devices}");
        let processes = words(nvidia_smi(&scene, &["pmon", "-c", "1", "-s", "m"]));
        assert!(processes.contains(&format!(" 0 {} C 426 0 ", std::process::id())), "{processes}");
    });
}
