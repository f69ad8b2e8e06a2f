//! The disk of the node is full.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;

use kube_harness::Cluster;
use kube_harness::product::machine::FILL;
use serde_json::{Value, json};

use crate::agent::{self, Agent};
use crate::restarts::{noting, seen};
use crate::tenant::{manifest, run, total_of, uid};

/// The agent's state directory, as a small disk of its own.
const STATE: &str = "/var/lib/vgpu";
const FILLER: &str = "/var/lib/vgpu/filler";

struct Disk;

impl Disk {
    fn mount() -> Self {
        fs::create_dir_all(STATE).unwrap();
        command(&["mount", "-t", "tmpfs", "-o", "size=64m,mode=0700", "vgpu-small", STATE]);
        Self
    }

    /// Leaves no byte.
    fn fill(&self) {
        let mut filler = File::create(FILLER).unwrap();
        while filler.write(&[1; 4096]).is_ok_and(|written| written > 0) {}
    }

    fn make_room(&self) {
        fs::remove_file(FILLER).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        command(&["umount", "--lazy", STATE]);
    }
}

fn command(words: &[&str]) {
    assert!(Command::new(words[0]).args(&words[1..]).status().unwrap().success(), "{words:?}");
}

/// The files below a directory.
fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let deep = |path: std::path::PathBuf| {
        if path.is_dir() { files(&path) } else { vec![path.display().to_string()] }
    };
    entries.flat_map(deep).collect()
}

#[test]
fn a_full_disk_is_an_event_stops_nobody_who_runs_and_all_is_well_when_there_is_room() {
    let Some(cluster) = Cluster::alone() else { return };
    let disk = Disk::mount();
    let agent = Agent::start_with(&json!({}));
    let space = cluster.namespace();
    let (wanted, folder) = noting(&space);
    run(&space, &wanted, &[("main", 1500)]);
    assert_eq!(seen(&folder, 1), [1500]);
    let before = files(Path::new(STATE));
    disk.fill();
    let late = run(&space, &manifest("late", &format!("{FILL} 1")), &[("main", 1600)]);
    let is_said = || late.events().iter().any(|event| event.contains("No space left on device"));
    late.wait_until("an event says that the disk is full", |_| is_said());
    let name = uid(&late);
    let left: Vec<_> = files(Path::new(STATE)).into_iter().filter(|file| !before.contains(file)).collect();
    assert!(!left.iter().any(|file| file.contains(&name)), "half-written: {left:?}");
    // A container of a pod that has its files starts again, also beside an agent that has just started.
    fs::write(format!("{folder}/end"), "").unwrap();
    assert_eq!(seen(&folder, 2), [1500, 1500]);
    let agent = agent.restart();
    agent::wait_until_registered(2);
    fs::write(format!("{folder}/end"), "").unwrap();
    assert_eq!(seen(&folder, 3), [1500, 1500, 1500]);
    disk.make_room();
    late.wait_for("Succeeded");
    assert_eq!(total_of(&late.logs()), Some(1600));
    let claims = fs::read_dir(format!("{STATE}/claims")).unwrap();
    for claim in claims.map(|entry| entry.unwrap().path()) {
        let text = fs::read_to_string(&claim).unwrap();
        let read = serde_json::from_str::<Value>(&text);
        assert!(read.is_ok(), "{}: {read:?}", claim.display());
    }
    drop(agent);
}
