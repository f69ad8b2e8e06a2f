//! Before, between and after initialisations.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use cuda_sys::nvmlReturn_t;

use crate::nvml::call;
use crate::scene::{Scene, play};

fn count(scene: &Scene) -> nvmlReturn_t {
    let mut count = 0;
    call!(scene.nvml, nvmlDeviceGetCount_v2(&raw mut count))
}

#[test]
fn nothing_works_before_an_initialisation_and_after_the_last_shutdown() {
    play(1, |scene| {
        assert_eq!(count(&scene), nvmlReturn_t::UNINITIALIZED);
        for _ in 0..2 {
            assert_eq!(call!(scene.nvml, nvmlInit_v2()), nvmlReturn_t::SUCCESS);
            assert_eq!(call!(scene.nvml, nvmlInitWithFlags(1)), nvmlReturn_t::SUCCESS);
            assert_eq!(call!(scene.nvml, nvmlShutdown()), nvmlReturn_t::SUCCESS);
            assert_eq!(count(&scene), nvmlReturn_t::SUCCESS);
            assert_eq!(call!(scene.nvml, nvmlShutdown()), nvmlReturn_t::SUCCESS);
            assert_eq!(count(&scene), nvmlReturn_t::UNINITIALIZED);
        }
    });
}

#[test]
fn a_shutdown_too_many_is_forgiven_and_does_not_spoil_the_next_initialisation() {
    play(1, |scene| {
        assert_eq!(call!(scene.nvml, nvmlShutdown()), nvmlReturn_t::SUCCESS);
        assert_eq!(call!(scene.nvml, nvmlInit()), nvmlReturn_t::SUCCESS);
        assert_eq!(count(&scene), nvmlReturn_t::SUCCESS);
    });
}

#[test]
fn without_a_machine_the_driver_is_not_loaded_and_everything_stays_uninitialised() {
    play(1, |scene| {
        // SAFETY: this process runs this test alone, on this thread, and the harness's own reads no environment now.
        unsafe { std::env::set_var("VGPU_SIM_KERNEL", "/nonexistent/vgpu-sim-kernel") };
        assert_eq!(call!(scene.nvml, nvmlInit_v2()), nvmlReturn_t::DRIVER_NOT_LOADED);
        assert_eq!(count(&scene), nvmlReturn_t::UNINITIALIZED);
        assert_eq!(call!(scene.nvml, nvmlShutdown()), nvmlReturn_t::SUCCESS);
    });
}

#[test]
fn the_machine_is_started_by_the_program_beside_the_library() {
    play(1, |scene| {
        // SAFETY: this process runs this test alone, on this thread, and the harness's own reads no environment now.
        unsafe { std::env::remove_var("VGPU_SIM_KERNEL") };
        assert_eq!(call!(scene.nvml, nvmlInit_v2()), nvmlReturn_t::SUCCESS);
    });
}

#[test]
fn an_uninitialised_library_is_what_is_wrong_first_whatever_the_arguments() {
    play(1, |scene| {
        assert_eq!(call!(scene.nvml, nvmlDeviceGetCount_v2(ptr::null_mut())), nvmlReturn_t::UNINITIALIZED);
        let scene = scene.initialised();
        assert_eq!(call!(scene.nvml, nvmlDeviceGetCount_v2(ptr::null_mut())), nvmlReturn_t::INVALID_ARGUMENT);
    });
}

#[test]
fn versions_are_the_branch_s() {
    play(1, |scene| {
        let mut text = [0; 80];
        let length = 80;
        // The real library tells its own version without an initialisation, the driver's only after one.
        assert_eq!(
            call!(scene.nvml, nvmlSystemGetNVMLVersion(text.as_mut_ptr(), length)),
            nvmlReturn_t::SUCCESS
        );
        let (driver, cuda) =
            if scene.branch == "535" { ("535.309.01", 12_020) } else { ("550.163.01", 12_040) };
        assert_eq!(as_text(&text), format!("12.{driver}"));
        let answer = call!(scene.nvml, nvmlSystemGetDriverVersion(text.as_mut_ptr(), length));
        assert_eq!(answer, nvmlReturn_t::UNINITIALIZED);
        let scene = scene.initialised();
        let answer = call!(scene.nvml, nvmlSystemGetDriverVersion(text.as_mut_ptr(), length));
        assert_eq!((answer, as_text(&text)), (nvmlReturn_t::SUCCESS, driver));
        let answer = call!(scene.nvml, nvmlSystemGetDriverVersion(text.as_mut_ptr(), 10));
        assert_eq!(answer, nvmlReturn_t::INSUFFICIENT_SIZE);
        let mut version = 0;
        assert_eq!(
            call!(scene.nvml, nvmlSystemGetCudaDriverVersion(&raw mut version)),
            nvmlReturn_t::SUCCESS
        );
        assert_eq!(version, cuda);
    });
}

#[test]
fn codes_have_the_descriptions_that_the_branch_knows() {
    play(1, |scene| {
        let like = sim_nvml::entry::nvmlErrorString as extern "C" fn(c_int) -> *const c_char;
        let describe = scene.nvml.function("nvmlErrorString", like);
        // SAFETY: the library answers with strings of its own.
        let text = |code| unsafe { CStr::from_ptr(describe(code)) }.to_str().unwrap();
        assert_eq!(text(0), "Success");
        assert_eq!(text(25), "Argument version mismatch");
        let newer = if scene.branch == "535" { "Unknown Error" } else { "No supported GPUs were found" };
        assert_eq!(text(28), newer);
        assert_eq!(text(-1), "Unknown Error");
    });
}

#[test]
fn a_forked_child_goes_on_with_a_connection_of_its_own() {
    play(2, |scene| {
        let scene = scene.initialised();
        let device = scene.nvml.device(1);
        // SAFETY: the child calls the library and leaves without returning to the harness.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let mut memory = cuda_sys::nvmlMemory_t::default();
            let answer = call!(scene.nvml, nvmlDeviceGetMemoryInfo(device, &raw mut memory));
            // SAFETY: ends the child at once, without the parent's handlers.
            unsafe { libc::_exit(i32::from(answer != nvmlReturn_t::SUCCESS || memory.total == 0)) };
        }
        let mut status = 0;
        // SAFETY: the child is ours and `status` is writable.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0);
        assert_eq!(count(&scene), nvmlReturn_t::SUCCESS);
    });
}

/// The text in a buffer that the library filled.
pub(crate) fn as_text(buffer: &[c_char]) -> &str {
    // SAFETY: the tests' buffers begin as zeros and the library ends what it writes.
    unsafe { CStr::from_ptr(buffer.as_ptr()) }.to_str().unwrap()
}
