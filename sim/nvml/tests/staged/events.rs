//! Sets of events.

use std::mem::MaybeUninit;
use std::ptr;
use std::time::{Duration, Instant};

use cuda_sys::{nvmlDevice_t, nvmlEventData_t, nvmlEventSet_t, nvmlReturn_t};
use sim_kernel::{Condition, DeviceIndex, Disturbance, Kind, Presence};

use crate::nvml::call;
use crate::scene::{Scene, play};

const XID_CRITICAL_ERROR: u64 = 8;

/// Longer than anything takes.
const LONG: u32 = 60_000;

/// A set with which these devices are registered.
fn set(scene: &Scene, devices: &[nvmlDevice_t]) -> nvmlEventSet_t {
    let mut set = nvmlEventSet_t(ptr::null_mut());
    assert_eq!(call!(scene.nvml, nvmlEventSetCreate(&raw mut set)), nvmlReturn_t::SUCCESS);
    for device in devices {
        let answer = call!(scene.nvml, nvmlDeviceRegisterEvents(*device, XID_CRITICAL_ERROR, set));
        assert_eq!(answer, nvmlReturn_t::SUCCESS);
    }
    set
}

/// The device and the XID of the next event.
fn next(scene: &Scene, set: nvmlEventSet_t, milliseconds: u32) -> Result<(nvmlDevice_t, u64), nvmlReturn_t> {
    let mut data = MaybeUninit::<nvmlEventData_t>::uninit();
    match call!(scene.nvml, nvmlEventSetWait_v2(set, data.as_mut_ptr(), milliseconds)) {
        nvmlReturn_t::SUCCESS => {
            // SAFETY: the library has filled it.
            let data = unsafe { data.assume_init() };
            assert_eq!(data.eventType, XID_CRITICAL_ERROR);
            Ok((data.device, data.eventData))
        }
        error => Err(error),
    }
}

fn disturb(scene: &Scene, disturbance: Disturbance) {
    scene.connect(Kind::Observer).disturb(disturbance).expect("an observer");
}

#[test]
fn a_wait_lasts_as_long_as_it_may() {
    play(1, |scene| {
        let scene = scene.initialised();
        let device = scene.nvml.device(0);
        let set = set(&scene, &[device]);
        let other = call!(scene.nvml, nvmlDeviceRegisterEvents(device, 1 << 40, set));
        assert_eq!(other, nvmlReturn_t::NOT_SUPPORTED);
        let before = Instant::now();
        assert_eq!(next(&scene, set, 20), Err(nvmlReturn_t::TIMEOUT));
        assert!(before.elapsed() >= Duration::from_millis(20));
        assert_eq!(call!(scene.nvml, nvmlEventSetFree(set)), nvmlReturn_t::SUCCESS);
        assert_eq!(call!(scene.nvml, nvmlEventSetFree(set)), nvmlReturn_t::INVALID_ARGUMENT);
        assert_eq!(next(&scene, set, 0), Err(nvmlReturn_t::INVALID_ARGUMENT));
    });
}

#[test]
fn an_xid_is_told_once_to_each_set_with_its_device() {
    play(2, |scene| {
        let scene = scene.initialised();
        let (first, second) = (scene.nvml.device(0), scene.nvml.device(1));
        disturb(&scene, Disturbance::Xid(DeviceIndex(0), 13));
        let (both, one) = (set(&scene, &[first, second]), set(&scene, &[second]));
        for (device, xid) in [(1, 79), (0, 48), (1, 31)] {
            disturb(&scene, Disturbance::Xid(DeviceIndex(device), xid));
        }
        let told = |set| std::iter::from_fn(|| next(&scene, set, 0).ok()).collect::<Vec<_>>();
        assert_eq!(told(both), [(second, 79), (first, 48), (second, 31)]);
        assert_eq!(told(one), [(second, 79), (second, 31)]);
    });
}

#[test]
fn who_waits_is_told_of_an_xid_and_then_that_the_device_is_lost() {
    play(2, |scene| {
        let scene = scene.initialised();
        let device = scene.nvml.device(1);
        let (set, other) = (set(&scene, &[device]), set(&scene, &[scene.nvml.device(0)]));
        disturb(&scene, Disturbance::Xid(DeviceIndex(1), 79));
        let lost = Condition { presence: Presence::Lost, ..Condition::default() };
        disturb(&scene, Disturbance::Condition(DeviceIndex(1), lost));
        assert_eq!(next(&scene, set, LONG), Ok((device, 79)));
        assert_eq!(next(&scene, set, LONG), Err(nvmlReturn_t::GPU_IS_LOST));
        assert_eq!(next(&scene, other, 0), Err(nvmlReturn_t::TIMEOUT));
    });
}
