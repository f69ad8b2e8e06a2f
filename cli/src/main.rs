//! The vgpu command.

fn main() {}
