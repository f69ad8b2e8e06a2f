//! Sets of events, on a machine that has none.

use std::mem::MaybeUninit;
use std::ptr;
use std::time::{Duration, Instant};

use cuda_sys::{nvmlEventSet_t, nvmlReturn_t};

use crate::nvml::call;
use crate::scene::play;

const XID_CRITICAL_ERROR: u64 = 8;

#[test]
fn a_wait_lasts_as_long_as_it_may() {
    play(1, |scene| {
        let scene = scene.initialised();
        let device = scene.nvml.device(0);
        let mut set = nvmlEventSet_t(ptr::null_mut());
        assert_eq!(call!(scene.nvml, nvmlEventSetCreate(&raw mut set)), nvmlReturn_t::SUCCESS);
        let register = |kinds| call!(scene.nvml, nvmlDeviceRegisterEvents(device, kinds, set));
        assert_eq!(register(XID_CRITICAL_ERROR), nvmlReturn_t::SUCCESS);
        assert_eq!(register(1 << 40), nvmlReturn_t::NOT_SUPPORTED);
        // The structure is 40 bytes; the library has nothing to write into it.
        let mut data = MaybeUninit::<[u64; 8]>::uninit();
        let before = Instant::now();
        let answer = call!(scene.nvml, nvmlEventSetWait_v2(set, data.as_mut_ptr().cast(), 20));
        assert_eq!(answer, nvmlReturn_t::TIMEOUT);
        assert!(before.elapsed() >= Duration::from_millis(20));
        assert_eq!(call!(scene.nvml, nvmlEventSetFree(set)), nvmlReturn_t::SUCCESS);
        assert_eq!(call!(scene.nvml, nvmlEventSetFree(set)), nvmlReturn_t::INVALID_ARGUMENT);
        let answer = call!(scene.nvml, nvmlEventSetWait_v2(set, data.as_mut_ptr().cast(), 0));
        assert_eq!(answer, nvmlReturn_t::INVALID_ARGUMENT);
    });
}
