//! What programs do with a card, one file a family.

mod gaps;
mod graphs;
mod kernels;
mod requests;
mod streams;
mod synchronous;

use std::rc::Rc;

use sim_model::{DeviceIndex, Kernel, Nanos, Permille};

use crate::process::Process;

/// A program that never ends by itself.
#[derive(Clone, Copy)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    /// The longest piece of work that nothing can interrupt.
    pub(crate) longest: Nanos,
    /// Whether its kernels run beside each other, so that a limiter could cost throughput without a change of busy time.
    pub(crate) concurrent: bool,
    /// Whether it leaves the card idle by itself.
    pub(crate) idles: bool,
    /// Starts its threads in a process.
    pub(crate) start: fn(&Rc<Process>),
}

/// Every workload whose share is judged in steady state.
pub(crate) const STEADY: [Workload; 11] = [
    SHORT,
    MEDIUM,
    LONG,
    MIXED,
    EIGHT_STREAMS,
    GRAPHS,
    kernels::COOPERATIVE,
    PER_THREAD,
    gaps::THINKING,
    gaps::SPARSE,
    synchronous::SHORT,
];

pub(crate) use gaps::ON_AND_OFF;
pub(crate) use graphs::EIGHT_MILLIS as GRAPHS;
pub(crate) use kernels::{MEDIUM, MIXED, NEVER_SEEN, ONE_MILLI, SHORT};
pub(crate) use requests::{OFTEN as REQUESTS, SELDOM};
pub(crate) use streams::{EIGHT as EIGHT_STREAMS, PER_THREAD};
pub(crate) use synchronous::LONG;

/// Blocks that fill an H100; a larger card has room beside them.
const FULL: u64 = 132;

/// A kernel of so many blocks, of which each takes a whole multiprocessor for `duration`, if they all fit at once.
fn kernel(process: &Process, duration: Nanos, blocks: u64) -> Kernel {
    let multiprocessors = process
        .world
        .machine(|machine| u64::from(machine.devices()[DeviceIndex(0).0 as usize].card.multiprocessors));
    let sm = (blocks * 1000).div_ceil(multiprocessors).min(1000);
    Kernel { duration, sm: Permille(u32::try_from(sm).unwrap_or(1000)), memory: Permille::ZERO }
}

/// A sequence of numbers that looks random and is always the same (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
