//! A libcuda.so.1 with a device in the process, on which kernels take the time that they state.
//!
//! For measuring what something costs a whole program. On the drivers of real branches a call asks another process, which takes
//! longer than a real driver's whole launch; on the driver that does nothing nothing is ever under way. Here a call takes what one
//! of a real driver takes, about, and the device is a number: the instant at which all that it was given is done.
//!
//! - `device` is that device, `host` what calls take of their thread.
//! - `entry` has the calls. It has the names of driver branch 550; `supported.txt` lists those with a function, every other one
//!   answers NOT_SUPPORTED: fills and copies among them, since they could not be honest.

#![allow(non_snake_case, non_upper_case_globals, reason = "the exports are called as the library's")]

mod device;
pub mod entry;
mod host;
mod stream;

include!(concat!(env!("OUT_DIR"), "/exports.rs"));
