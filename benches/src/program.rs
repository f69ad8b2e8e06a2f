//! Whole programs whose time is compared, each often enough for about a tenth of a second.

use crate::work::Work;

/// A program, and how often it does what it does.
#[derive(Clone, Copy)]
pub struct Program {
    /// How figures name it.
    pub name: &'static str,
    /// What it does.
    pub work: Work,
    /// How often.
    pub count: u32,
}

/// Short kernels, a few for each wait.
pub const BY_EIGHTS: Program = program("20 us, by eights", Work::Kernels { us: 20, batch: 8 }, 5_600);

/// Kernels that are each waited for, and long enough that the device is what the program waits for.
pub const ONE_BY_ONE: Program = program("200 us, each waited for", Work::Kernels { us: 200, batch: 1 }, 600);

/// Graphs that are each waited for.
pub const GRAPHS: Program = program("graphs of 20 kernels", Work::Replays { kernels: 20 }, 600);

/// Steps as of a training, each waited for.
pub const STEPS: Program = program("steps of 200 launches", Work::Steps { launches: 200 }, 32);

/// A launch, a wait and the way to the device and back, again and again: the device waits for the host, and what an intercepted
/// call costs is the whole difference.
pub const HOST_BOUND: Program = program("20 us, each waited for", Work::Kernels { us: 20, batch: 1 }, 5_000);

/// As [`HOST_BOUND`], by launching alone.
pub const LAUNCH_BOUND: Program =
    program("1 us, by two hundreds", Work::Kernels { us: 1, batch: 200 }, 60_000);

const fn program(name: &'static str, work: Work, count: u32) -> Program {
    Program { name, work, count }
}
