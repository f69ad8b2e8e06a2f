//! GPUs that are not as they should be, and drivers of all ages, as the agent's inventory sees them.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use contract::node::{Connection, NodeTopology, Way};
use contract::{Bytes, Uuid};
use plugin::inventory::nvidia::{Nvidia, Patience};
use plugin::inventory::{Family, Incident, Look};
use tokio::runtime::Runtime;

use crate::inventory::{LONG, is_child, staged, start};

/// A driver, and how it is asked.
struct Scene {
    runtime: Runtime,
    nvidia: Nvidia,
}

impl Scene {
    fn of_branch(branch: &str, open: Duration) -> Self {
        let library = staged(&format!("sim/{branch}/libnvidia-ml.so.1"));
        let patience = Patience { look: LONG, open };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { runtime, nvidia: Nvidia::start(library, PathBuf::from("/nowhere"), patience).unwrap() }
    }

    fn new() -> Self {
        Self::of_branch("550", Duration::from_secs(3600))
    }

    fn look(&self) -> Look {
        self.runtime.block_on(self.nvidia.look()).unwrap()
    }
}

/// Does this to the machine of the test.
fn disturb(fault: &str) {
    let mut program = Command::new(staged("bin/vgpu-sim-kernel"));
    let output = program.args(["disturb", "--fault", fault]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

fn uuids(look: &Look) -> Vec<Uuid> {
    look.gpus.iter().map(|gpu| gpu.uuid).collect()
}

/// A device that falls off the bus reports an XID, and can then not be asked which one it is.
#[test]
fn the_xid_of_a_lost_gpu_was_everybodys() {
    if !is_child() {
        return start("faults::the_xid_of_a_lost_gpu_was_everybodys", &[("VGPU_SIM_DEVICES", "2")]);
    }
    let scene = Scene::new();
    let all = uuids(&scene.look());
    disturb("1:xid=79");
    disturb("1:lost");
    let look = scene.look();
    assert_eq!(look.incidents, [Incident { gpu: Some(all[1]), code: 79 }]);
    assert_eq!(uuids(&look), [all[0]]);
    assert!(look.broken[&1].contains("fell off the bus"), "{:?}", look.broken);
    // It is opened anew for each look now, and nothing is told twice.
    assert_eq!(scene.look().incidents, []);
    disturb("0:xid=48");
    assert_eq!(scene.look().incidents, [Incident { gpu: Some(all[0]), code: 48 }]);
    disturb("1:present");
    scene.look();
    assert_eq!(uuids(&scene.look()), all);
}

#[test]
fn gpus_go_and_come() {
    if !is_child() {
        return start("faults::gpus_go_and_come", &[("VGPU_SIM_DEVICES", "2")]);
    }
    let scene = Scene::of_branch("550", Duration::ZERO);
    let all = uuids(&scene.look());
    disturb("0:absent");
    let look = scene.look();
    assert_eq!((uuids(&look), look.broken.len(), look.gpus[0].index), (vec![all[1]], 0, 0));
    disturb("0:present");
    assert_eq!(uuids(&scene.look()), all);
}

#[test]
fn a_gpu_that_cannot_replace_a_row_or_is_divided_is_said_to_be() {
    if !is_child() {
        return start(
            "faults::a_gpu_that_cannot_replace_a_row_or_is_divided_is_said_to_be",
            &[("VGPU_SIM_DEVICES", "2")],
        );
    }
    let scene = Scene::new();
    let look = scene.look();
    assert!(look.unfit.is_empty() && look.gpus.iter().all(|gpu| !gpu.mig));
    disturb("0:remap=failed");
    disturb("1:mig=on");
    let look = scene.look();
    assert_eq!(look.unfit.keys().collect::<Vec<_>>(), [&look.gpus[0].uuid]);
    assert_eq!(look.gpus.iter().map(|gpu| gpu.mig).collect::<Vec<_>>(), [false, true]);
}

/// They tell memory by the first version of the function only.
#[test]
fn gpus_of_drivers_before_510_had_no_memory() {
    if !is_child() {
        return start("faults::gpus_of_drivers_before_510_had_no_memory", &[]);
    }
    let scene = Scene::of_branch("470", Duration::from_secs(3600));
    let look = scene.look();
    assert_eq!((look.broken.len(), look.gpus[0].memory), (0, Bytes::from_mib(81_559).unwrap()));
    assert!(look.driver.version.starts_with("470."), "{}", look.driver.version);
    let usage = scene.runtime.block_on(scene.nvidia.usage(LONG)).unwrap();
    assert_eq!(usage[0].uuid, look.gpus[0].uuid);
}

#[test]
fn links_are_told_as_they_are() {
    if !is_child() {
        let directory = tempfile::tempdir().unwrap();
        let config = directory.path().join("machine.toml");
        let devices = [
            "pcie_switch = 1\nnvlinks = [1, 1]",
            "pcie_switch = 1\nnvlinks = [0, 0]",
            "numa = 1\nnvswitch_links = 4",
            "numa = 1\nnvswitch_links = 2",
        ];
        let text: String = devices.iter().map(|device| format!("[[devices]]\n{device}\n")).collect();
        std::fs::write(&config, text).unwrap();
        let config = config.to_str().unwrap();
        return start("faults::links_are_told_as_they_are", &[("VGPU_SIM_CONFIG", config)]);
    }
    let look = Scene::new().look();
    let NodeTopology(told) = look.links.topology(look.gpus.iter());
    let link = |way, nvlinks| Connection { way: Some(way), nvlinks };
    assert_eq!(told[&0][&1], link(Way::OneSwitch, 2));
    assert_eq!(told[&1][&0], link(Way::OneSwitch, 2));
    assert_eq!(told[&0][&2], link(Way::CrossCpu, 0));
    assert_eq!(told[&2][&3], link(Way::SameCpu, 2));
    assert_eq!(told.len(), 4);
}
