//! libcuda.so.1 of driver branch 550.

#![allow(non_snake_case, non_upper_case_globals, reason = "the exports are called as the library's")]

include!(concat!(env!("OUT_DIR"), "/550.rs"));
