//! Programs that never use CUDA do not notice us, whatever limits are set.

use crate::run::Run;
use crate::scratch::Scratch;

/// Prints what the process holds: descriptors, mapped files, signal handlers, umask and environment.
const INVENTORY: &str = "
import os, signal
print(sorted(os.readlink(f'/proc/self/fd/{fd}') for fd in os.listdir('/proc/self/fd') if fd.isdigit() and int(fd) > 2 and os.path.exists(f'/proc/self/fd/{fd}')))
# Before 2.34 the C library is three files; since then two of them are empty. Without zig the linker adds libgcc.
ours = ('libvgpu.so', 'libdl.so', 'libdl-', 'libpthread.so', 'libpthread-', 'libgcc_s.so')
print(sorted({line.split()[-1] for line in open('/proc/self/maps') if '/' in line and not any(name in line for name in ours)}))
print([signal.getsignal(number) for number in range(1, 32)])
print(oct(os.umask(0)))
print(sorted(name for name in os.environ if name not in ('LD_PRELOAD', 'LIMITS')))
print(len(os.listdir('/proc/self/task')))
";

fn limited(run: Run, scratch: &Scratch) -> Run {
    run.env("CUDA_DEVICE_MEMORY_LIMIT", "1g")
        .env("CUDA_DEVICE_MEMORY_SHARED_CACHE", scratch.path().join("region"))
}

#[test]
fn a_program_without_python_or_cuda_runs_in_silence() {
    let scratch = Scratch::new();
    assert_eq!(limited(Run::preloaded("true"), &scratch).output(), "");
    let failed = limited(Run::preloaded("false"), &scratch).said();
    assert_eq!((failed.status.as_str(), failed.errors.as_str()), ("exit status: 1", ""));
}

#[test]
fn python_without_cuda_holds_what_it_holds_natively() {
    let scratch = Scratch::new();
    let inventory = |run: Run| limited(run, &scratch).arg("-Sc").arg(INVENTORY).output();
    assert_eq!(inventory(Run::preloaded("python3")), inventory(Run::natively("python3")));
}

#[test]
fn no_region_is_made_for_a_program_without_cuda() {
    let scratch = Scratch::new();
    limited(Run::preloaded("python3"), &scratch).arg("-c").arg("import ctypes").output();
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn a_malformed_limit_is_no_concern_of_a_program_without_cuda() {
    assert_eq!(Run::preloaded("true").env("CUDA_DEVICE_MEMORY_LIMIT", "abc").output(), "");
}
