//! HTTP to whoever can reach the program.

mod accept;
mod limits;
pub mod pages;

pub use accept::{listen, plain, serve};
pub use limits::Limits;
