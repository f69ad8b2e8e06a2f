//! The entry points.

#![allow(clippy::missing_safety_doc, reason = "as the CUDA documentation of each function demands")]
#![allow(missing_docs, reason = "named and specified by the CUDA documentation")]

mod graph;
mod work;

use cuda_sys::*;

pub use graph::*;
pub use sim_in_process::entry::*;
pub use sim_in_process::not_supported;
pub use work::*;

include!(concat!(env!("OUT_DIR"), "/supported.rs"));

/// Every function has the signature of its row.
macro_rules! check {
    ($($class:ident $stream:ident $since:literal $query:literal $symbol:ident($($arg:ident: $ty:ty),*);)*) => { $(
        if_simulated! { $symbol { const _: unsafe extern "C" fn($($ty),*) -> CUresult = $symbol; } }
    )* };
}
cuda_sys::driver_api!(check);
