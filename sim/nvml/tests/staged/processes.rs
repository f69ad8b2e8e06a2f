//! Process lists, in each of their forms.

use std::ptr;

use cuda_sys::{
    nvmlDevice_t, nvmlEnableState_t, nvmlProcessDetail_v1_t, nvmlProcessDetailList_v1_t,
    nvmlProcessInfo_v1_t, nvmlProcessInfo_v2_t, nvmlReturn_t,
};
use sim_kernel::{Client, DeviceIndex, Kind};

use crate::initialisation::as_text;
use crate::nvml::call;
use crate::scene::{Scene, play};

const OVERHEAD: u64 = 426 << 20;
const NO_INSTANCE: u32 = u32::MAX;

/// This very process, with a context on device 0.
fn tenant(scene: &Scene) -> Client {
    let client = scene.connect(Kind::Cuda);
    client.create_context(DeviceIndex(0)).unwrap();
    client
}

/// Asks a list with this much room; gives the answer, the number and the entries.
macro_rules! list {
    ($scene:expr, $function:ident($device:expr, $room:expr)) => {{
        let mut entries = [Default::default(); 4];
        let mut count = $room;
        let answer = call!($scene.nvml, $function($device, &raw mut count, entries.as_mut_ptr()));
        (answer, count, entries)
    }};
}

#[test]
fn each_version_of_the_compute_list_has_its_own_form() {
    play(1, |scene| {
        let scene = scene.initialised();
        let _tenant = tenant(&scene);
        let device = scene.nvml.device(0);
        let pid = std::process::id();
        let first = nvmlProcessInfo_v1_t { pid, usedGpuMemory: OVERHEAD };
        let second = nvmlProcessInfo_v2_t {
            pid,
            usedGpuMemory: OVERHEAD,
            gpuInstanceId: NO_INSTANCE,
            computeInstanceId: NO_INSTANCE,
        };
        let (answer, count, entries) = list!(scene, nvmlDeviceGetComputeRunningProcesses(device, 4));
        assert_eq!((answer, count, entries[0], entries[1].pid), (nvmlReturn_t::SUCCESS, 1, first, 0));
        let (answer, count, entries) = list!(scene, nvmlDeviceGetComputeRunningProcesses_v2(device, 4));
        assert_eq!((answer, count, entries[0], entries[1].pid), (nvmlReturn_t::SUCCESS, 1, second, 0));
        let (answer, count, entries) = list!(scene, nvmlDeviceGetComputeRunningProcesses_v3(device, 1));
        assert_eq!((answer, count, entries[0], entries[1].pid), (nvmlReturn_t::SUCCESS, 1, second, 0));
    });
}

#[test]
fn the_number_of_processes_is_asked_for_without_room() {
    play(1, |scene| {
        let scene = scene.initialised();
        let device = scene.nvml.device(0);
        let ask = |room| {
            let mut count = room;
            let null = ptr::null_mut();
            let answer =
                call!(scene.nvml, nvmlDeviceGetComputeRunningProcesses_v3(device, &raw mut count, null));
            (answer, count)
        };
        assert_eq!(ask(0), (nvmlReturn_t::SUCCESS, 0));
        let _tenant = tenant(&scene);
        assert_eq!(ask(0), (nvmlReturn_t::INSUFFICIENT_SIZE, 1));
        assert_eq!(ask(4), (nvmlReturn_t::INVALID_ARGUMENT, 4));
    });
}

#[test]
fn there_are_no_graphics_and_no_mps_processes() {
    play(1, |scene| {
        let scene = scene.initialised();
        let _tenant = tenant(&scene);
        let device = scene.nvml.device(0);
        let none = (nvmlReturn_t::SUCCESS, 0);
        assert_eq!(empty_lists(&scene, device), [none; 6]);
    });
}

fn empty_lists(scene: &Scene, device: nvmlDevice_t) -> [(nvmlReturn_t, u32); 6] {
    let brief = |(answer, count, _): (_, _, [nvmlProcessInfo_v1_t; 4])| (answer, count);
    let full = |(answer, count, _): (_, _, [nvmlProcessInfo_v2_t; 4])| (answer, count);
    [
        brief(list!(scene, nvmlDeviceGetGraphicsRunningProcesses(device, 4))),
        full(list!(scene, nvmlDeviceGetGraphicsRunningProcesses_v2(device, 4))),
        full(list!(scene, nvmlDeviceGetGraphicsRunningProcesses_v3(device, 4))),
        brief(list!(scene, nvmlDeviceGetMPSComputeRunningProcesses(device, 4))),
        full(list!(scene, nvmlDeviceGetMPSComputeRunningProcesses_v2(device, 4))),
        full(list!(scene, nvmlDeviceGetMPSComputeRunningProcesses_v3(device, 4))),
    ]
}

#[test]
fn the_detailed_list_follows_the_same_rules() {
    play(1, |scene| {
        let scene = scene.initialised();
        let _tenant = tenant(&scene);
        let device = scene.nvml.device(0);
        let mut entries = [nvmlProcessDetail_v1_t::default(); 2];
        let mut ask = |version, mode, room| {
            let mut list = nvmlProcessDetailList_v1_t {
                version,
                mode,
                numProcArrayEntries: room,
                procArray: if room == 0 { ptr::null_mut() } else { entries.as_mut_ptr() },
            };
            let answer = call!(scene.nvml, nvmlDeviceGetRunningProcessDetailList(device, &raw mut list));
            (answer, list.numProcArrayEntries)
        };
        let version = nvmlProcessDetailList_v1_t::VERSION;
        assert_eq!(ask(version, 0, 0), (nvmlReturn_t::INSUFFICIENT_SIZE, 1));
        assert_eq!(ask(version, 1, 2), (nvmlReturn_t::SUCCESS, 0));
        assert_eq!(ask(version, 9, 2), (nvmlReturn_t::INVALID_ARGUMENT, 2));
        assert_eq!(ask(version + 1, 0, 2), (nvmlReturn_t::ARGUMENT_VERSION_MISMATCH, 2));
        assert_eq!(ask(version, 0, 2), (nvmlReturn_t::SUCCESS, 1));
        assert_eq!((entries[0].pid, entries[0].usedGpuMemory), (std::process::id(), OVERHEAD));
        assert_eq!((entries[0].gpuInstanceId, entries[0].usedGpuCcProtectedMemory), (NO_INSTANCE, 0));
    });
}

#[test]
fn a_process_leaves_the_list_with_its_last_context() {
    play(1, |scene| {
        let scene = scene.initialised();
        let device = scene.nvml.device(0);
        drop(tenant(&scene));
        let mut seen = 1;
        // The machine learns of the end of a connection a moment later.
        for _ in 0..12_000 {
            let (_, count, _) = list!(scene, nvmlDeviceGetComputeRunningProcesses(device, 4));
            seen = count;
            if seen == 0 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(seen, 0);
    });
}

#[test]
fn a_process_is_called_what_it_was_started_as_and_cropped_to_fit() {
    play(1, |scene| {
        let scene = scene.initialised();
        let own = std::env::args().next().unwrap();
        let mut name = [0; 4096];
        let pid = std::process::id();
        let answer = call!(scene.nvml, nvmlSystemGetProcessName(pid, name.as_mut_ptr(), 4096));
        assert_eq!((answer, as_text(&name)), (nvmlReturn_t::SUCCESS, own.as_str()));
        let answer = call!(scene.nvml, nvmlSystemGetProcessName(pid, name.as_mut_ptr(), 4));
        assert_eq!((answer, as_text(&name)), (nvmlReturn_t::SUCCESS, &own[..3]));
        let answer = call!(scene.nvml, nvmlSystemGetProcessName(u32::MAX, name.as_mut_ptr(), 4));
        assert_eq!(answer, nvmlReturn_t::NOT_FOUND);
    });
}

#[test]
fn accounting_is_off_so_there_are_no_accounts() {
    play(1, |scene| {
        let scene = scene.initialised();
        let device = scene.nvml.device(0);
        let mut mode = nvmlEnableState_t::ENABLED;
        assert_eq!(
            call!(scene.nvml, nvmlDeviceGetAccountingMode(device, &raw mut mode)),
            nvmlReturn_t::SUCCESS
        );
        assert_eq!(mode, nvmlEnableState_t::DISABLED);
        assert_eq!(scene.nvml.unknown("nvmlDeviceGetAccountingPids")([]), nvmlReturn_t::NOT_SUPPORTED);
    });
}
