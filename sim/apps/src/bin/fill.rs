//! Takes device memory until it is refused, or until it has what was asked for, and says what it got.
//!
//! `fill [MEBIBYTES]`

use cuda_sys::CUcontext;
use sim_apps::{CUresult, Failure, check, cuda};
use std::process::ExitCode;

const MIB: usize = 1 << 20;

/// The largest piece asked for at once.
const PIECE: usize = 256 * MIB;

fn main() -> ExitCode {
    let wanted = match std::env::args().nth(1).map(|text| text.parse::<usize>()) {
        None => usize::MAX,
        Some(Ok(mebibytes)) => mebibytes.saturating_mul(MIB),
        Some(Err(error)) => {
            eprintln!("fill: {error}; usage: fill [MEBIBYTES]");
            return ExitCode::from(2);
        }
    };
    match fill(wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("fill: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn fill(wanted: usize) -> Result<(), Failure> {
    start()?;
    let (free, total) = memory_info()?;
    println!("cuMemGetInfo: {} MiB free of {} MiB", free / MIB, total / MIB);
    let mut taken = 0;
    let mut piece = PIECE;
    while taken < wanted {
        let size = piece.min(wanted - taken);
        match allocate(size) {
            Ok(()) => taken += size,
            Err(Failure { code: CUresult::OUT_OF_MEMORY, .. }) if piece > 1 => piece /= 2,
            Err(Failure { code: CUresult::OUT_OF_MEMORY, .. }) => {
                println!(
                    "allocated {} MiB; one byte more is refused with CUDA_ERROR_OUT_OF_MEMORY",
                    taken / MIB
                );
                return Ok(());
            }
            Err(other) => return Err(other),
        }
    }
    println!("allocated {} MiB, all that was asked for", taken / MIB);
    Ok(())
}

/// Makes the primary context of the first device current.
fn start() -> Result<(), Failure> {
    let mut device = Default::default();
    let mut context = CUcontext(std::ptr::null_mut());
    // SAFETY: takes no pointer.
    check("cuInit", unsafe { cuda::cuInit(0) })?;
    // SAFETY: `device` is writable.
    check("cuDeviceGet", unsafe { cuda::cuDeviceGet(&raw mut device, 0) })?;
    // SAFETY: `context` is writable.
    check("cuDevicePrimaryCtxRetain", unsafe { cuda::cuDevicePrimaryCtxRetain(&raw mut context, device) })?;
    // SAFETY: the context was retained above and is never released.
    check("cuCtxSetCurrent", unsafe { cuda::cuCtxSetCurrent(context) })
}

/// Free and total bytes of the current device.
fn memory_info() -> Result<(usize, usize), Failure> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: both are writable.
    check("cuMemGetInfo", unsafe { cuda::cuMemGetInfo_v2(&raw mut free, &raw mut total) })?;
    Ok((free, total))
}

/// Allocates and keeps `size` bytes.
fn allocate(size: usize) -> Result<(), Failure> {
    let mut pointer = Default::default();
    // SAFETY: `pointer` is writable.
    check("cuMemAlloc", unsafe { cuda::cuMemAlloc_v2(&raw mut pointer, size) })
}
