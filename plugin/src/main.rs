//! The node agent's program.

#![forbid(unsafe_code)]

fn main() {}
