//! Every check of this repository as a command.

fn main() {}
