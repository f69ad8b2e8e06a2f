//! Devices and the ways to name them.

use std::ffi::CString;
use std::mem::MaybeUninit;
use std::ptr;

use cuda_sys::{nvmlDevice_t, nvmlPciInfo_t, nvmlReturn_t};

use crate::initialisation::as_text;
use crate::nvml::call;
use crate::scene::{Scene, play};

const NOWHERE: nvmlDevice_t = nvmlDevice_t(ptr::null_mut());

/// One of the functions that find a device by a text.
macro_rules! find {
    ($scene:expr, $function:ident($text:expr)) => {{
        let text = CString::new($text).unwrap();
        let mut found = NOWHERE;
        let answer = call!($scene.nvml, $function(text.as_ptr(), &raw mut found));
        if answer == nvmlReturn_t::SUCCESS { Ok(found) } else { Err(answer) }
    }};
}

fn uuid(scene: &Scene, device: nvmlDevice_t) -> String {
    let mut text = [0; 96];
    assert_eq!(call!(scene.nvml, nvmlDeviceGetUUID(device, text.as_mut_ptr(), 96)), nvmlReturn_t::SUCCESS);
    as_text(&text).to_owned()
}

fn serial(scene: &Scene, device: nvmlDevice_t) -> String {
    let mut text = [0; 30];
    assert_eq!(call!(scene.nvml, nvmlDeviceGetSerial(device, text.as_mut_ptr(), 30)), nvmlReturn_t::SUCCESS);
    as_text(&text).to_owned()
}

fn pci(scene: &Scene, device: nvmlDevice_t) -> nvmlPciInfo_t {
    let mut info = MaybeUninit::<nvmlPciInfo_t>::zeroed();
    assert_eq!(call!(scene.nvml, nvmlDeviceGetPciInfo_v3(device, info.as_mut_ptr())), nvmlReturn_t::SUCCESS);
    // SAFETY: zeros are a valid value of every field, and the library filled it.
    unsafe { info.assume_init() }
}

/// The environment of these tests hides every device from CUDA.
#[test]
fn every_device_is_found_by_every_name_it_has_whatever_cuda_may_see() {
    play(3, |scene| {
        let scene = scene.initialised();
        let mut count = 0;
        assert_eq!(call!(scene.nvml, nvmlDeviceGetCount(&raw mut count)), nvmlReturn_t::SUCCESS);
        assert_eq!(count, 3);
        for index in 0..3 {
            let device = scene.nvml.device(index);
            let mut own = u32::MAX;
            assert_eq!(call!(scene.nvml, nvmlDeviceGetIndex(device, &raw mut own)), nvmlReturn_t::SUCCESS);
            assert_eq!(own, index);
            assert_eq!(find!(scene, nvmlDeviceGetHandleByUUID(uuid(&scene, device))), Ok(device));
            assert_eq!(find!(scene, nvmlDeviceGetHandleBySerial(serial(&scene, device))), Ok(device));
            let info = pci(&scene, device);
            let long = as_text(&info.busId);
            assert_eq!((long.len(), as_text(&info.busIdLegacy).len()), (16, 12));
            for name in [long, as_text(&info.busIdLegacy), &long.to_lowercase()] {
                assert_eq!(find!(scene, nvmlDeviceGetHandleByPciBusId_v2(name)), Ok(device), "{name}");
                assert_eq!(find!(scene, nvmlDeviceGetHandleByPciBusId(name)), Ok(device), "{name}");
            }
        }
    });
}

#[test]
fn what_is_no_device_is_not_found_and_what_is_no_name_is_invalid() {
    play(2, |scene| {
        let scene = scene.initialised();
        let mut found = NOWHERE;
        let answer = call!(scene.nvml, nvmlDeviceGetHandleByIndex_v2(2, &raw mut found));
        assert_eq!((answer, found), (nvmlReturn_t::INVALID_ARGUMENT, NOWHERE));
        let stranger = "GPU-00000000-0000-0000-0000-000000000000";
        assert_eq!(find!(scene, nvmlDeviceGetHandleByUUID(stranger)), Err(nvmlReturn_t::NOT_FOUND));
        assert_eq!(find!(scene, nvmlDeviceGetHandleBySerial("0")), Err(nvmlReturn_t::NOT_FOUND));
        let absent = find!(scene, nvmlDeviceGetHandleByPciBusId_v2("00000000:FF:00.0"));
        assert_eq!(absent, Err(nvmlReturn_t::NOT_FOUND));
        let nonsense = find!(scene, nvmlDeviceGetHandleByPciBusId_v2("GPU-1"));
        assert_eq!(nonsense, Err(nvmlReturn_t::INVALID_ARGUMENT));
        let null = call!(scene.nvml, nvmlDeviceGetHandleByUUID(ptr::null(), &raw mut found));
        assert_eq!(null, nvmlReturn_t::INVALID_ARGUMENT);
    });
}

#[test]
fn a_handle_that_is_none_is_an_invalid_argument() {
    play(1, |scene| {
        let scene = scene.initialised();
        let beyond = nvmlDevice_t(scene.nvml.device(0).0.wrapping_byte_add(1));
        for handle in [NOWHERE, beyond] {
            let mut index = 7;
            let answer = call!(scene.nvml, nvmlDeviceGetIndex(handle, &raw mut index));
            assert_eq!((answer, index), (nvmlReturn_t::INVALID_ARGUMENT, 7));
        }
    });
}

#[test]
fn handles_survive_a_shutdown_and_the_next_initialisation() {
    play(2, |scene| {
        let scene = scene.initialised();
        let device = scene.nvml.device(1);
        assert_eq!(call!(scene.nvml, nvmlShutdown()), nvmlReturn_t::SUCCESS);
        let scene = scene.initialised();
        assert_eq!(scene.nvml.device(1), device);
        assert!(uuid(&scene, device).starts_with("GPU-"));
    });
}

/// Callers built against an older header have room for no more than its structure.
#[test]
fn an_older_pci_structure_is_not_overrun() {
    play(1, |scene| {
        let scene = scene.initialised();
        let device = scene.nvml.device(0);
        for (version, length) in [(1, 32), (2, 36)] {
            let mut info = MaybeUninit::<nvmlPciInfo_t>::uninit();
            let place = info.as_mut_ptr();
            // SAFETY: the place is 68 bytes long.
            unsafe { place.cast::<u8>().write_bytes(0xee, size_of::<nvmlPciInfo_t>()) };
            let answer = match version {
                1 => call!(scene.nvml, nvmlDeviceGetPciInfo(device, place)),
                _ => call!(scene.nvml, nvmlDeviceGetPciInfo_v2(device, place)),
            };
            assert_eq!(answer, nvmlReturn_t::SUCCESS);
            // SAFETY: all of it was written above.
            let bytes = unsafe { place.cast::<[u8; size_of::<nvmlPciInfo_t>()]>().read() };
            assert!(bytes.starts_with(b"0000:1B:00.0\0"), "version {version}");
            assert!(bytes[length..].iter().all(|byte| *byte == 0xee), "version {version}");
        }
    });
}
