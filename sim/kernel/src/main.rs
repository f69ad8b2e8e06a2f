//! The simulated machine as a process.

fn main() {}
