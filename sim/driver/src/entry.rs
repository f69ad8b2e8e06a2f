//! The entry points: a function a simulated row of the table, with the row's name and signature.
//!
//! An entry point looks for a scripted fault, converts its arguments, and calls its body in `api`, which has
//! the same name. A row without a body does not compile, unless `unsupported.txt` lists it.

use cuda_sys::*;

use crate::abi::{FromAbi, FromCall};
use crate::context;
use crate::outcome::{Outcome, code};
use crate::process::Driver;
use crate::{api, faults};

include!(concat!(env!("OUT_DIR"), "/simulated.rs"));

macro_rules! stream {
    (any) => {
        Stream::Any
    };
    (legacy) => {
        Stream::Legacy
    };
    (ptds) => {
        Stream::Ptds
    };
}

macro_rules! entry_points {
    ($($class:ident $stream:ident $since:literal $query:literal $symbol:ident($($arg:ident: $ty:ty),*);)*) => { $(
        if_simulated! { $symbol {
            /// An entry point of the driver.
            ///
            /// # Safety
            ///
            /// Its arguments must be what the CUDA documentation of the function demands.
            pub unsafe extern "C" fn $symbol($($arg: $ty),*) -> CUresult {
                run(stringify!($symbol), || {
                    let call = FromCall::from_call(stream!($stream))?;
                    // SAFETY: this function's caller vouches for its arguments.
                    $(let $arg = unsafe { FromAbi::from_abi($arg) }?;)*
                    // SAFETY: as above.
                    #[allow(unused_unsafe)]
                    unsafe { api::$symbol(call, $($arg),*) }
                })
            }
        } }
    )* };
}

cuda_sys::driver_api!(entry_points);

/// One call: a scripted fault comes first, and an error that outlives its call is kept by the current context.
fn run(symbol: &str, body: impl FnOnce() -> Outcome) -> CUresult {
    let outcome = faults::around(symbol, body);
    if let Err(code) = outcome
        && context::is_sticky(code)
        && let Ok(Some(current)) = context::top()
    {
        current.spoil(code);
    }
    code(outcome)
}

/// What every exported name without a simulated row jumps to. Before `cuInit` it is too early for those, too.
pub extern "C" fn not_supported() -> CUresult {
    Driver::get().map_or_else(|code| code, |_| CUresult::NOT_SUPPORTED)
}
