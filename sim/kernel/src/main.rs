//! The simulated machine as a process: see [`sim_kernel::run`].

use std::process::ExitCode;

fn main() -> ExitCode {
    sim_kernel::run(std::env::args_os().skip(1))
}
