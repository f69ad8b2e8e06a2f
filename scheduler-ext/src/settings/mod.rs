//! What the program is told by its command line.

pub mod flags;
pub mod gates;
pub mod object;
pub mod webhook;
