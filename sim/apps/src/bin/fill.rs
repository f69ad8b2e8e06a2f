//! Takes device memory until it is refused, or until it has what was asked for, and says what it got. A command is run
//! while it holds that.
//!
//! `fill [MEBIBYTES [COMMAND [ARGUMENT]...]]`

use sim_apps::cuda::MISSING;
use sim_apps::{CUresult, Failure, driver, say};
use std::ffi::OsString;
use std::process::{Command, ExitCode};

const MIB: usize = 1 << 20;

/// The largest piece asked for at once.
const PIECE: usize = 256 * MIB;

fn main() -> ExitCode {
    let wanted = match std::env::args_os()
        .nth(1)
        .map(|text| text.to_string_lossy().into_owned())
        .map(|text| text.parse::<usize>().map_err(|error| (text, error)))
    {
        None => usize::MAX,
        Some(Ok(mebibytes)) => mebibytes.saturating_mul(MIB),
        Some(Err((text, error))) => {
            eprintln!("fill: {text}: {error}; usage: fill [MEBIBYTES [COMMAND [ARGUMENT]...]]");
            return ExitCode::from(2);
        }
    };
    match fill(wanted) {
        Ok(()) => run(std::env::args_os().skip(2)),
        Err(Failure { call: "cuInit", code: MISSING }) => {
            eprintln!("fill: there is no libcuda.so.1 here; for the simulated card: vgpu run --sim -- fill");
            ExitCode::FAILURE
        }
        Err(failure) => {
            eprintln!("fill: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the command, if there is one, to its end.
fn run(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(program) = words.next() else { return ExitCode::SUCCESS };
    match Command::new(&program).args(words).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => {
            eprintln!("fill: {}: {status}", program.display());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("fill: {}: {error}", program.display());
            ExitCode::FAILURE
        }
    }
}

fn fill(wanted: usize) -> Result<(), Failure> {
    driver::start(0)?;
    let (free, total) = driver::memory_info()?;
    say("fill", format_args!("cuMemGetInfo: {} MiB free of {} MiB", free / MIB, total / MIB));
    let mut taken = 0;
    let mut piece = PIECE;
    while taken < wanted {
        let size = piece.min(wanted - taken);
        match driver::allocate(size) {
            Ok(_) => taken += size,
            Err(Failure { code: CUresult::OUT_OF_MEMORY, .. }) if piece > 1 => piece /= 2,
            Err(Failure { code: CUresult::OUT_OF_MEMORY, .. }) => {
                say(
                    "fill",
                    format_args!(
                        "allocated {} MiB; one byte more is refused with CUDA_ERROR_OUT_OF_MEMORY",
                        taken / MIB
                    ),
                );
                return Ok(());
            }
            Err(other) => return Err(other),
        }
    }
    say("fill", format_args!("allocated {} MiB, all that was asked for", taken / MIB));
    Ok(())
}
