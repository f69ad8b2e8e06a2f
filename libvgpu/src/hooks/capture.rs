//! Captures: work that a stream is given meanwhile runs later, if ever, and is neither charged nor measured.

#![allow(clippy::too_many_arguments, reason = "the parameters are the driver's")]

use crate::abi::driver::real;
use crate::throttle::captures;
use cuda_sys::*;

/// One function for each row of this class: what it does is told by its name.
macro_rules! hooks {
    ($($class:ident $stream:ident $since:literal $query:tt $symbol:ident($($parameters:tt)*);)*) => {
        $(hook! { $class $query $symbol($($parameters)*) })*
    };
}

macro_rules! hook {
    (capture "cuStreamEndCapture" $($function:tt)*) => { hook! { @ ended $($function)* } };
    (capture "cuStreamEndCaptureToCig" $($function:tt)*) => { hook! { @ ended $($function)* } };
    (capture $query:tt $($function:tt)*) => { hook! { @ begun $($function)* } };
    (@ $noted:ident $symbol:ident($($arg:ident: $ty:ty),*)) => {
        pub(crate) unsafe fn $symbol($($arg: $ty),*) -> CUresult {
            // SAFETY: the application's own arguments.
            captures::$noted(|| unsafe { real::$symbol($($arg),*) })
        }
    };
    ($($other:tt)*) => {};
}

cuda_sys::driver_api!(hooks);
