//! Copies that are waited for: what this thread has launched ends its measurement before it waits. Copies are not charged:
//! they run on engines of their own, beside the multiprocessors.

#![allow(clippy::too_many_arguments, reason = "the parameters are the driver's")]

use crate::abi::driver::real;
use crate::throttle;
use cuda_sys::*;

/// One function for each row of this class: all of them do the same.
macro_rules! hooks {
    ($($class:ident $stream:ident $since:literal $query:literal $symbol:ident($($parameters:tt)*);)*) => {
        $(hook! { $class $symbol($($parameters)*) })*
    };
}

macro_rules! hook {
    (copies $symbol:ident($($arg:ident: $ty:ty),*)) => {
        pub(crate) unsafe fn $symbol($($arg: $ty),*) -> CUresult {
            throttle::about_to_wait();
            // SAFETY: the application's own arguments.
            unsafe { real::$symbol($($arg),*) }
        }
    };
    ($($other:tt)*) => {};
}

cuda_sys::driver_api!(hooks);
