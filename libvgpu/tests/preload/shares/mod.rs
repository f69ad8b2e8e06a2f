//! Shares of a GPU's time, on the simulated GPU.
//!
//! - [`paths`], [`lives`], [`quiet`]: every way to launch is held to the share, and what that must not disturb. [`page`]: a
//!   share that its owner changes. [`account`]: who has none. [`asked`]: who asks whether work is done instead of waiting for it.
//!
//! The rest is by the clock: programs that launch as others do, on a GPU that says how long each of them kept it busy, in
//! windows of a second. A window in which the machine under the test overslept, or let a program wait for a processor, counts
//! for nothing, and a test that finds too few others says so, and fails where `VGPU_TEST_CONCLUSIVE` is 1. Each test writes a
//! line of what it found to standard error. The accuracy that is promised is shown on a virtual clock (`benches/shares`); here
//! it is that nothing is lost between that and a program.
//!
//! - [`judge`]: windows, and what they say; [`canary`]: whether the machine overslept; [`tenant`]: programs that launch.
//! - [`cells`]: one tenant of each kind.
//! - [`together`]: tenants beside each other. [`changes`]: limits and tenants that change. [`stacks`]: real programs.

mod account;
mod asked;
mod canary;
mod cells;
mod changes;
mod judge;
mod lives;
mod page;
mod paths;
mod quiet;
mod stacks;
mod tenant;
mod together;
