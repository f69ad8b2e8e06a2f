//! The driver: its kernel part, what it says about itself, its devices, and what of it vgpu knows.

use std::fs;
use std::io;

use contract::nvidia_smi::{self, LAYOUTS, Treatment};
use monitor::gpus::{Driver, GpuError, Inventory};
use rustix::fs::{Access, access};

use super::environment;
use super::finding::Finding;
use super::place::Place;
use crate::show::escaped;

/// What the kernel driver says of itself.
const KERNEL_DRIVER: &str = "/proc/driver/nvidia/version";

/// The driver's part in the kernel.
pub(super) fn kernel(place: &Place) -> Finding {
    const CHECK: &str = "kernel driver";
    let Ok(text) = fs::read_to_string(place.file(KERNEL_DRIVER)) else {
        return Finding::fail(
            CHECK,
            "the NVIDIA kernel driver is not loaded",
            "install it or load it (modprobe nvidia), or use --sim for a simulated GPU",
        );
    };
    match kernel_version(&text) {
        Some(version) => Finding::ok(CHECK, format_args!("NVIDIA {version}")),
        None => Finding::ok(CHECK, "NVIDIA, of a version that it does not say"),
    }
}

/// The first word that looks like `550.163.01`.
fn kernel_version(text: &str) -> Option<&str> {
    let is_version =
        |word: &&str| word.contains('.') && word.split('.').all(|part| part.parse::<u32>().is_ok());
    text.lines().next()?.split_ascii_whitespace().find(is_version)
}

/// What helps where a library of the driver is missing.
pub(super) fn missing_library(place: &Place) -> &'static str {
    if environment::kind_of_container(place).is_some() {
        "a container is given it from outside: start it with a GPU and NVIDIA_DRIVER_CAPABILITIES=compute,utility"
    } else if place.file(KERNEL_DRIVER).exists() {
        "install the libraries of the driver that is loaded"
    } else {
        "it comes with the NVIDIA driver"
    }
}

/// The management library, and what the driver says about itself through it.
pub(super) fn nvml(place: &Place, driver: &Result<Driver, GpuError>, is_simulated: bool) -> Finding {
    const CHECK: &str = "libnvidia-ml";
    match driver {
        Err(error @ GpuError::NoDriver { .. }) if is_simulated => {
            Finding::fail(CHECK, error, "install vgpu anew")
        }
        Err(error @ GpuError::NoDriver { .. }) => Finding::fail(CHECK, error, missing_library(place)),
        Err(error @ GpuError::Refused { .. }) if is_simulated => {
            Finding::fail(CHECK, error, "the line on standard error says why the simulated GPU did not start")
        }
        Err(error @ GpuError::Refused { .. }) => Finding::fail(
            CHECK,
            error,
            "if kernel driver and libraries are of two versions, restart the machine; else see nvidia-smi",
        ),
        Ok(Driver { version, cuda, .. }) => {
            let cuda = cuda.as_ref().map_or_else(String::new, |cuda| format!(", CUDA up to {cuda}"));
            Finding::ok(CHECK, format_args!("driver {}{cuda}", escaped(version)))
        }
    }
}

/// The GPUs.
pub(super) fn gpus(inventory: &Inventory) -> Finding {
    const CHECK: &str = "GPUs";
    let answering = inventory.gpus.len();
    if let Some(broken) = inventory.broken.first() {
        return Finding::warn(
            CHECK,
            format_args!("GPU {} does not answer: {}", broken.index, escaped(&broken.reason)),
            format_args!(
                "look for its errors in the kernel's log (dmesg); the other {answering} can be used"
            ),
        );
    }
    match inventory.gpus.first() {
        None => Finding::fail(
            CHECK,
            "the driver has no GPU",
            "see lspci, and give the container one if this is one",
        ),
        Some(gpu) => Finding::ok(CHECK, format_args!("{answering}, the first is {}", escaped(&gpu.name))),
    }
}

/// MIG, whose instances have limits of their own.
pub(super) fn mig(driver: &Driver) -> Finding {
    const CHECK: &str = "MIG";
    match driver.mig.as_slice() {
        [] => Finding::ok(CHECK, "off"),
        some => Finding::warn(
            CHECK,
            format_args!("on, for GPU {}", list(some.iter())),
            "vgpu has not been tried on MIG instances; turn it off (nvidia-smi -mig 0), or use the others by --gpus",
        ),
    }
}

/// The devices that libraries open.
pub(super) fn devices(place: &Place) -> Finding {
    const CHECK: &str = "devices";
    let mut found = vec!["nvidiactl".to_owned(), "nvidia-uvm".to_owned()];
    let entries = fs::read_dir(place.file("/dev")).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut gpus: Vec<String> = names.filter(|name| is_gpu(name)).collect();
    if gpus.is_empty() {
        let fix = if environment::kind_of_container(place).is_some() {
            "a container has to be given them (docker run --gpus all)"
        } else if place.file(KERNEL_DRIVER).exists() {
            "create them (nvidia-modprobe -c0 -u)"
        } else {
            "they come with the NVIDIA driver"
        };
        return Finding::fail(CHECK, "there is no /dev/nvidia0 or other GPU", fix);
    }
    gpus.sort();
    found.extend(gpus);
    for name in &found {
        let path = place.file("/dev").join(name);
        match access(&path, Access::READ_OK | Access::WRITE_OK).map_err(io::Error::from) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Finding::fail(
                    CHECK,
                    format_args!("there is no /dev/{name}"),
                    "create it (nvidia-modprobe -u)",
                );
            }
            Err(error) => {
                let fix = format!("let this user read and write /dev/{name} (ls -l shows who may)");
                return Finding::fail(CHECK, format_args!("/dev/{name}: {error}"), fix);
            }
        }
    }
    Finding::ok(CHECK, format_args!("{} may be opened", list(found.iter())))
}

fn is_gpu(name: &str) -> bool {
    name.strip_prefix("nvidia")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether nvidia-smi shows a slice's own processes inside it.
pub(super) fn nvidia_smi(driver: &Driver, place: &Place) -> Finding {
    const CHECK: &str = "nvidia-smi";
    let branches = list(LAYOUTS.iter().map(|layout| layout.branch));
    match nvidia_smi::is_on(place.text(nvidia_smi::SWITCH).as_deref()) {
        Err(error) => {
            return Finding::warn(CHECK, error, format_args!("set {} to on or off", nvidia_smi::SWITCH));
        }
        Ok(false) => {
            return Finding::warn(
                CHECK,
                format_args!(
                    "{}=off: inside a slice it may show the processes of others",
                    nvidia_smi::SWITCH
                ),
                format_args!("unset {}", nvidia_smi::SWITCH),
            );
        }
        Ok(true) => {}
    }
    match Treatment::of_driver(&driver.version) {
        Treatment::Patched(layout) => Finding::ok(
            CHECK,
            format_args!("inside a slice it lists the slice's processes (driver branch {})", layout.branch),
        ),
        Treatment::Emptied => Finding::warn(
            CHECK,
            format_args!(
                "inside a slice it lists no processes: driver {} is of no known branch",
                escaped(&driver.version)
            ),
            format_args!("nothing to do, vgpu ps lists them; known branches are {branches}"),
        ),
    }
}

fn list<T: ToString>(items: impl Iterator<Item = T>) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::finding::Status;
    use super::*;
    use std::path::Path;
    use tempfile::TempDir;

    /// A machine with these files, each with this content.
    fn machine(files: &[(&str, &[u8])]) -> (TempDir, Place) {
        let home = tempfile::tempdir().expect("a temporary directory");
        for (path, content) in files {
            let path = home.path().join(path);
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            fs::write(path, content).expect("a file");
        }
        let place = Place::at(home.path(), &[]);
        (home, place)
    }

    fn driver(version: &str) -> Driver {
        Driver { version: version.to_owned(), ..Driver::default() }
    }

    #[test]
    fn kernel_drivers() {
        assert_eq!(kernel(&machine(&[]).1).status, Status::Fail);
        for (text, version) in [
            (
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.163.01  Tue Apr  8\nGCC version:\n",
                "550.163.01",
            ),
            (
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\n",
                "580.65.06",
            ),
        ] {
            let (_home, place) = machine(&[("proc/driver/nvidia/version", text.as_bytes())]);
            assert_eq!(kernel(&place), Finding::ok("kernel driver", format_args!("NVIDIA {version}")));
        }
        let (_home, place) = machine(&[("proc/driver/nvidia/version", b"")]);
        assert_eq!(kernel(&place).status, Status::Ok);
    }

    #[test]
    fn what_helps_depends_on_what_is_there() {
        let on = |files: &[(&str, &[u8])]| {
            let (_home, place) = machine(files);
            let library = nvml(
                &place,
                &Err(GpuError::NoDriver { library: "nvml".into(), reason: String::new() }),
                false,
            );
            [devices(&place), library].map(|found| found.fix.expect("a fix"))
        };
        let loaded: (&str, &[u8]) = ("proc/driver/nvidia/version", b"");
        let container: (&str, &[u8]) = (".dockerenv", b"");
        assert!(on(&[]).iter().all(|fix| fix.ends_with("with the NVIDIA driver")), "{:?}", on(&[]));
        assert_eq!(
            on(&[loaded]),
            ["create them (nvidia-modprobe -c0 -u)", "install the libraries of the driver that is loaded"]
        );
        for files in [&[container][..], &[container, loaded]] {
            assert!(on(files).iter().all(|fix| fix.starts_with("a container ")), "{:?}", on(files));
        }
    }

    #[test]
    fn devices_that_are_missing_are_named() {
        assert!(devices(&machine(&[]).1).finding.contains("/dev/nvidia0"));
        let (_home, place) =
            machine(&[("dev/nvidia0", b""), ("dev/nvidiactl", b""), ("dev/nvidia-modeset", b"")]);
        assert_eq!(devices(&place).finding, "there is no /dev/nvidia-uvm");
        let (_home, place) =
            machine(&[("dev/nvidia1", b""), ("dev/nvidiactl", b""), ("dev/nvidia-uvm", b"")]);
        assert_eq!(devices(&place).finding, "nvidiactl, nvidia-uvm, nvidia1 may be opened");
    }

    #[test]
    fn branches_that_nvidia_smi_is_known_for() {
        let (_home, place) = machine(&[]);
        for layout in LAYOUTS {
            assert_eq!(nvidia_smi(&driver(&format!("{}.1", layout.branch)), &place).status, Status::Ok);
        }
        let found = nvidia_smi(&driver("595.1"), &place);
        assert!(found.fix.expect("a fix").contains("535, 550, 580"));
        let off = Place::at(Path::new("/"), &[(nvidia_smi::SWITCH, "off")]);
        assert_eq!(nvidia_smi(&driver("550.1"), &off).status, Status::Warn);
        let wrong = Place::at(Path::new("/"), &[(nvidia_smi::SWITCH, "maybe")]);
        assert!(nvidia_smi(&driver("550.1"), &wrong).finding.contains("=maybe is neither"));
    }

    #[test]
    fn gpus_that_are_lost_divided_or_absent() {
        use monitor::gpus::BrokenGpu;
        assert_eq!(gpus(&Inventory::default()).status, Status::Fail);
        let broken = vec![BrokenGpu { index: 3, reason: "lost\n".to_owned() }];
        let found = gpus(&Inventory { gpus: Vec::new(), broken });
        assert_eq!((found.status, found.finding.as_str()), (Status::Warn, "GPU 3 does not answer: lost\\n"));
        let divided = Driver { mig: vec![0, 2], ..driver("550.1") };
        assert!(mig(&divided).finding.contains("GPU 0, 2"));
        assert_eq!(mig(&driver("550.1")), Finding::ok("MIG", "off"));
    }
}
