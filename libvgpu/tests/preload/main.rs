//! The preload library as programs meet it: each test starts small programs under `LD_PRELOAD`.
//!
//! They run on the staged library, the artefact that is shipped, found in `$VGPU_STAGE` or in `stage/` of cargo's target
//! directory. A missing file fails the test and says how to make it.
//!
//! - [`lookup`]: how calls reach the library, on drivers of a few entry points that are compiled here.
//! - [`limit`]: what a limit means, on the simulated GPU.
//! - [`memory`]: virtual memory, and memory that several processes hold.
//! - [`medley`]: every kind of memory at random, judged after each step.
//! - [`conformance`]: the questions that a real driver is asked, too.
//! - [`shares`]: what a compute share means.
//! - [`view`]: what a slice's programs are told of processes and use.
//! - [`clients`]: real, unmodified programs, native and in a slice.
//! - [`harm`]: what must not change, and what must fail well.

#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "rules for code in other people's processes, not for their tests"
)]

mod alone;
mod clients;
mod compile;
mod conformance;
mod harm;
mod limit;
mod lookup;
mod machine;
mod medley;
mod memory;
mod namespace;
mod patience;
mod puppet;
mod run;
mod scratch;
mod shares;
mod stage;
mod supervisor;
mod variable;
mod view;
