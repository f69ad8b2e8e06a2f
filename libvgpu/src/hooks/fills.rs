//! Fills of device memory: they run on the multiprocessors, as kernels do, and a large one is charged as such by its bytes.

use crate::abi::driver::real;
use crate::stream::Stream;
use crate::throttle::{Work, metered};
use core::ptr::null_mut;
use cuda_sys::*;

/// The stream of a fill that names none.
const DEFAULT: CUstream = CUstream(null_mut());

/// What is filled by less takes about as long as to start it.
const LARGE: u64 = 1 << 20;

/// One function for each row of this class: how much it fills and in which stream is told by its parameters.
macro_rules! hooks {
    ($($class:ident $stream:ident $since:literal $query:literal $symbol:ident($($parameters:tt)*);)*) => {
        $(hook! { $class $stream $symbol($($parameters)*) })*
    };
}

macro_rules! hook {
    (fills $kind:ident $symbol:ident(dstDevice: $to:ty, $value:ident: $element:ty, N: $size:ty)) => {
        hook! { @ $kind $symbol(to: $to, value: $element, count: $size), $element, [count], DEFAULT }
    };
    (fills $kind:ident $symbol:ident(dstDevice: $to:ty, $value:ident: $element:ty, N: $size:ty, hStream: $in:ty)) => {
        hook! { @ $kind $symbol(to: $to, value: $element, count: $size, stream: $in), $element, [count], stream }
    };
    (fills $kind:ident $symbol:ident(
        dstDevice: $to:ty, dstPitch: $pitch:ty, $value:ident: $element:ty, Width: $size:ty, Height: $rows:ty
    )) => {
        hook! { @
            $kind $symbol(to: $to, pitch: $pitch, value: $element, width: $size, height: $rows),
            $element, [width, height], DEFAULT
        }
    };
    (fills $kind:ident $symbol:ident(
        dstDevice: $to:ty, dstPitch: $pitch:ty, $value:ident: $element:ty, Width: $size:ty, Height: $rows:ty,
        hStream: $in:ty
    )) => {
        hook! { @
            $kind $symbol(to: $to, pitch: $pitch, value: $element, width: $size, height: $rows, stream: $in),
            $element, [width, height], stream
        }
    };
    (@ $kind:ident $symbol:ident($($arg:ident: $ty:ty),*), $element:ty, [$($count:ident),*], $stream:ident) => {
        pub(crate) unsafe fn $symbol($($arg: $ty),*) -> CUresult {
            // SAFETY: the application's own arguments.
            let call = || unsafe { real::$symbol($($arg),*) };
            let bytes = [$(u64::try_from($count).unwrap_or(u64::MAX)),*]
                .into_iter()
                .fold(size_of::<$element>() as u64, u64::saturating_mul);
            filled(bytes, || hook!(@ $kind $stream), call)
        }
    };
    (@ legacy $stream:ident) => { Stream::legacy($stream) };
    (@ ptds $stream:ident) => { Stream::per_thread($stream) };
    ($($other:tt)*) => {};
}

cuda_sys::driver_api!(hooks);

#[inline]
fn filled(bytes: u64, stream: impl FnOnce() -> Stream, call: impl Fn() -> CUresult) -> CUresult {
    if bytes < LARGE { call() } else { metered(|| Work::fill(bytes, stream()), call) }
}
