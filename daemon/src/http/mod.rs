//! HTTP to whoever can reach the program.

mod accept;
mod connections;
mod limits;
pub mod pages;
mod stream;

pub use accept::{listen, plain, serve};
pub use limits::Limits;
