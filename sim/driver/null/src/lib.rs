//! A libcuda.so.1 that does as little as a driver can: what remains of a measurement against it is the caller's cost.
//!
//! It has the names of driver branch 550 and one device without a past: every call succeeds at once, in constant time,
//! whatever came before, and nothing is kept of it. Addresses are unique and lead nowhere. `supported.txt` lists the
//! calls that do this; every other name answers NOT_SUPPORTED, copies among them, since they could not be honest.

#![allow(non_snake_case, non_upper_case_globals, reason = "the exports are called as the library's")]

pub mod entry;

include!(concat!(env!("OUT_DIR"), "/exports.rs"));
