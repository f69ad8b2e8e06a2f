//! Before `cuInit`, after it, in a forked child, and while the process ends.

use std::ffi::{CStr, c_char};

use cuda_sys::{CUcontext, CUresult};

use crate::cuda::{Cuda, call, get};
use crate::scene::{Play, library};

/// Code and text of `cuGetErrorName` or `cuGetErrorString`.
fn text(ask: impl Fn(*mut *const c_char) -> CUresult) -> (CUresult, Option<&'static CStr>) {
    let mut text = std::ptr::null();
    let code = ask(&raw mut text);
    // SAFETY: null, or a string of the library, which stays loaded.
    (code, (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }))
}

#[test]
fn before_initialisation_only_what_needs_no_device_works() {
    Play::everywhere().run(|scene| {
        let version = match scene.branch {
            "470" => 11_040,
            "535" => 12_020,
            "550" => 12_040,
            "570" => 12_080,
            "580" => 13_000,
            _ => 13_040,
        };
        assert_eq!(get!(scene.cuda, cuDriverGetVersion(_)), version);
        let (code, mut count) = (CUresult::NOT_INITIALIZED, 7);
        assert_eq!(call!(scene.cuda, cuDeviceGetCount(&raw mut count)), code);
        let mut context = CUcontext(std::ptr::null_mut());
        assert_eq!(call!(scene.cuda, cuCtxGetCurrent(&raw mut context)), code);
        // The state is looked at before the arguments.
        assert_eq!(call!(scene.cuda, cuMemAlloc_v2(std::ptr::null_mut(), 1)), code);
        assert_eq!(count, 7);
    });
}

#[test]
fn codes_have_names_and_texts_and_unknown_ones_have_none() {
    Play::everywhere().run(|scene| {
        let name = |code| text(|place| call!(scene.cuda, cuGetErrorName(code, place)));
        assert_eq!(name(CUresult::OUT_OF_MEMORY), (CUresult::SUCCESS, Some(c"CUDA_ERROR_OUT_OF_MEMORY")));
        assert_eq!(name(CUresult(12)), (CUresult::INVALID_VALUE, None));
        let since_12_4 = name(CUresult::LOSSY_QUERY).1.is_some();
        assert_eq!(since_12_4, !["470", "535"].contains(&scene.branch));
        let string = text(|place| call!(scene.cuda, cuGetErrorString(CUresult::OUT_OF_MEMORY, place)));
        assert_eq!(string, (CUresult::SUCCESS, Some(c"out of memory")));
    });
}

#[test]
fn initialisation_takes_no_flags_and_can_be_repeated() {
    Play::new().run(|scene| {
        assert_eq!(call!(scene.cuda, cuInit(1)), CUresult::INVALID_VALUE);
        let mut count = 0;
        assert_eq!(call!(scene.cuda, cuDeviceGetCount(&raw mut count)), CUresult::NOT_INITIALIZED);
        for _ in 0..2 {
            assert_eq!(call!(scene.cuda, cuInit(0)), CUresult::SUCCESS);
        }
        assert_eq!(get!(scene.cuda, cuDeviceGetCount(_)), 1);
        assert_eq!(call!(scene.cuda, cuInit(1)), CUresult::INVALID_VALUE);
    });
}

#[test]
fn a_program_may_close_the_library_and_open_it_again() {
    Play::new().run(|scene| {
        let (scene, context) = scene.with_context();
        drop(scene.cuda);
        let cuda = Cuda::load(&library(scene.branch));
        assert_eq!(get!(cuda, cuCtxGetCurrent(_)), context);
        assert_eq!(call!(cuda, cuCtxDestroy_v2(context)), CUresult::SUCCESS);
    });
}

#[test]
fn a_machine_that_cannot_be_reached_is_an_error_and_not_a_machine_without_devices() {
    Play::new().env("VGPU_SIM_KERNEL", "/nonexistent").run(|scene| {
        assert_eq!(call!(scene.cuda, cuInit(0)), CUresult::SYSTEM_NOT_READY);
    });
}

/// Runs `child` in a forked process and gives what it exits with.
fn forked(child: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the test runs alone in its process; its other thread only waits for this one.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let code = child();
        // SAFETY: ends the child without the handlers of the test harness.
        unsafe { libc::_exit(code) };
    }
    let mut status = 0;
    // SAFETY: waits for the child made above.
    assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
    assert!(libc::WIFEXITED(status), "{status}");
    libc::WEXITSTATUS(status)
}

#[test]
fn a_child_forked_after_initialisation_has_no_driver_and_its_parent_keeps_one() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let address: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 1 << 20));
        let in_child = forked(|| {
            let (mut context, mut count) = (CUcontext(std::ptr::null_mut()), 0);
            let codes = [
                call!(scene.cuda, cuInit(0)),
                call!(scene.cuda, cuMemFree_v2(address)),
                call!(scene.cuda, cuDeviceGetCount(&raw mut count)),
                call!(scene.cuda, cuCtxCreate_v2(&raw mut context, 0, 0)),
            ];
            i32::from(codes.iter().all(|code| *code == CUresult::NOT_INITIALIZED))
        });
        assert_eq!(in_child, 1);
        assert_eq!(scene.truth().requested.0, 1 << 20);
        assert_eq!(call!(scene.cuda, cuMemFree_v2(address)), CUresult::SUCCESS);
    });
}

#[test]
fn a_child_forked_before_initialisation_has_a_driver_of_its_own() {
    Play::new().run(|scene| {
        let in_child = forked(|| i32::from(call!(scene.cuda, cuInit(0)) == CUresult::SUCCESS));
        assert_eq!(in_child, 1);
        let (scene, _) = scene.with_context();
        assert_eq!(scene.truth().contexts, 1);
    });
}

/// A process that does nothing until it is told to end.
struct Idle(libc::pid_t);

impl Idle {
    fn fork() -> Self {
        // SAFETY: the child does nothing but wait, whatever other threads held.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            loop {
                // SAFETY: waits for a signal.
                unsafe { libc::pause() };
            }
        }
        Self(pid)
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        // SAFETY: a child of this process that nobody has waited for.
        unsafe { libc::kill(self.0, libc::SIGKILL) };
        // SAFETY: as above.
        unsafe { libc::waitpid(self.0, std::ptr::null_mut(), 0) };
    }
}

#[test]
fn a_fork_while_the_machine_starts_does_not_hold_initialisation_up() {
    Play::new().run(|scene| {
        let (done, wait) = std::sync::mpsc::channel();
        let starting = std::thread::spawn(move || {
            let code = call!(scene.cuda, cuInit(0));
            done.send(code).expect("the test waits");
            scene
        });
        let mut idle = Vec::new();
        let mut code = None;
        // So many children that some are made while the machine starts, and then all the time that a slow one needs.
        for attempt in 0..6000 {
            if attempt < 200 {
                idle.push(Idle::fork());
            }
            code =
                wait.recv_timeout(std::time::Duration::from_millis(if attempt < 200 { 1 } else { 10 })).ok();
            if code.is_some() {
                break;
            }
        }
        drop(idle);
        assert_eq!(code, Some(CUresult::SUCCESS), "it waits for children that know nothing of it");
        drop(starting.join());
    });
}

/// The library, for a handler that takes no argument.
static LIBRARY: std::sync::OnceLock<Cuda> = std::sync::OnceLock::new();

extern "C" fn free_while_the_process_ends() {
    let cuda = LIBRARY.get().expect("set before it is registered");
    let code = call!(cuda, cuMemFree_v2(0));
    // SAFETY: the last thing that this process does.
    unsafe { libc::_exit(i32::from(code == CUresult::DEINITIALIZED)) };
}

#[test]
fn while_the_process_ends_every_call_says_so() {
    Play::new().run(|scene| {
        let cuda = LIBRARY.get_or_init(|| scene.cuda);
        let in_child = forked(|| {
            // Before the driver registers its own, so it runs after that one, as destructors of a program do.
            // SAFETY: registers a function.
            unsafe { libc::atexit(free_while_the_process_ends) };
            assert_eq!(call!(cuda, cuInit(0)), CUresult::SUCCESS);
            // SAFETY: what a program does that returns from `main`.
            unsafe { libc::exit(7) };
        });
        assert_eq!(in_child, 1);
    });
}
