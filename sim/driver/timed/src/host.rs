//! What calls take of the thread that makes them, and how long the device then takes to hear of it.
//!
//! Beside a driver whose launches are free, whatever a library adds to one looks large, and a program is never held up by its own
//! launches. Other calls take what they take here: on a real driver, `cuEventRecord` was measured at 92 ns and `cuEventQuery` at
//! 74 to 83 (with the same source as the launch), which is about as long as reading the clock and a few words takes.

use std::time::Duration;

use crate::device::{self, Time};

/// What a launch of a kernel or a graph takes: `cuLaunchKernel` with 16 parameters was measured at 1,570 ns from C++ (RTX 4090,
/// NVIDIA/cuda-python#1856).
const LAUNCH: Duration = Duration::from_nanos(1570);

/// So long after a call comes what it asks for to the device, and comes its end to who waits for it, together: an empty kernel that
/// is launched and waited for was measured at 4.3 µs (RTX 3080, in the published results of GPU-Virt-Bench).
pub(crate) const WAY: Time = 4300 - 1570;

/// Takes what a launch takes since `begin`. When that is over.
pub(crate) fn launches(begin: Time) -> Time {
    let end = begin.saturating_add(u64::try_from(LAUNCH.as_nanos()).unwrap_or(0));
    spin_until(end);
    end
}

/// Waits as CUDA does by default while there are no more contexts than processors: it spins.
pub(crate) fn spin_until(end: Time) {
    while device::now() < end {
        std::hint::spin_loop();
    }
}
