//! Devices that are not as they should be.

use cuda_sys::{nvmlDevice_t, nvmlReturn_t};
use sim_kernel::{Condition, DeviceIndex, Disturbance, Kind, Presence};

use crate::nvml::call;
use crate::scene::{Scene, play};

/// Lets the first device be in this condition.
fn disturb(scene: &Scene, condition: Condition) {
    let disturbance = Disturbance::Condition(DeviceIndex(0), condition);
    scene.connect(Kind::Observer).disturb(disturbance).expect("an observer");
}

fn count(scene: &Scene) -> u32 {
    let mut count = 0;
    assert_eq!(call!(scene.nvml, nvmlDeviceGetCount_v2(&raw mut count)), nvmlReturn_t::SUCCESS);
    count
}

fn index(scene: &Scene, device: nvmlDevice_t) -> Result<u32, nvmlReturn_t> {
    let mut index = u32::MAX;
    match call!(scene.nvml, nvmlDeviceGetIndex(device, &raw mut index)) {
        nvmlReturn_t::SUCCESS => Ok(index),
        error => Err(error),
    }
}

#[test]
fn a_lost_device_is_counted_and_answers_nothing_until_it_is_back() {
    play(2, |scene| {
        let scene = scene.initialised();
        let (first, second) = (scene.nvml.device(0), scene.nvml.device(1));
        disturb(&scene, Condition { presence: Presence::Lost, ..Condition::default() });
        assert_eq!(count(&scene), 2);
        assert_eq!(index(&scene, first), Err(nvmlReturn_t::GPU_IS_LOST));
        assert_eq!(index(&scene, second), Ok(1));
        let mut found = nvmlDevice_t(std::ptr::null_mut());
        let again = call!(scene.nvml, nvmlDeviceGetHandleByIndex_v2(0, &raw mut found));
        assert_eq!(again, nvmlReturn_t::GPU_IS_LOST);
        disturb(&scene, Condition::default());
        assert_eq!(index(&scene, first), Ok(0));
    });
}

#[test]
fn a_device_that_went_is_missed_by_the_next_initialisation_and_the_others_move_up() {
    play(2, |scene| {
        // Without anybody connected the machine would end, and the next would be as good as new.
        let _observer = scene.connect(Kind::Observer);
        let scene = scene.initialised();
        let second = scene.nvml.device(1);
        disturb(&scene, Condition { presence: Presence::Absent, ..Condition::default() });
        assert_eq!((count(&scene), index(&scene, second)), (2, Ok(1)));
        assert_eq!(call!(scene.nvml, nvmlShutdown()), nvmlReturn_t::SUCCESS);
        let scene = scene.initialised();
        assert_eq!((count(&scene), index(&scene, second)), (1, Ok(0)));
        assert_eq!(scene.nvml.device(0), second);
    });
}

#[test]
fn what_is_told_of_memory_errors_and_mig_mode_is_the_devices_own() {
    play(2, |scene| {
        let scene = scene.initialised();
        disturb(
            &scene,
            Condition { uncorrectable_errors: 2, remap_failed: true, mig: true, ..Condition::default() },
        );
        let told = |index: u32| {
            let device = scene.nvml.device(index);
            let (mut errors, mut corrected, mut rows, mut mode) = (9, 9, [9; 4], [9; 2]);
            let [of_rows, uncorrected, pending, failed] = &mut rows;
            let [current, next] = &mut mode;
            for answer in [
                call!(scene.nvml, nvmlDeviceGetTotalEccErrors(device, 1, 0, &raw mut errors)),
                call!(scene.nvml, nvmlDeviceGetTotalEccErrors(device, 0, 0, &raw mut corrected)),
                call!(scene.nvml, nvmlDeviceGetRemappedRows(device, of_rows, uncorrected, pending, failed)),
                call!(scene.nvml, nvmlDeviceGetMigMode(device, current, next)),
            ] {
                assert_eq!(answer, nvmlReturn_t::SUCCESS);
            }
            (errors, corrected, rows, mode)
        };
        assert_eq!(told(0), (2, 0, [0, 0, 0, 1], [1, 1]));
        assert_eq!(told(1), (0, 0, [0; 4], [0; 2]));
    });
}
