//! libcuda.so.1 of the simulated GPU and one driver branch: exports, and nothing else.

#![allow(non_snake_case, non_upper_case_globals, reason = "the exports are called as the library's")]

include!(concat!(env!("OUT_DIR"), "/exports.rs"));
