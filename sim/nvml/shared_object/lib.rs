//! libnvidia-ml.so.1 of the simulated GPU and one driver branch: exports, and nothing else.

#![allow(non_snake_case, reason = "the exports are called as the library's functions")]

include!(concat!(env!("OUT_DIR"), "/exports.rs"));
