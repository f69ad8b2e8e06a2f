//! Values of flags that several programs take, read in one way.

mod bind;
mod gates;

pub use bind::{Bind, BindError};
pub use gates::{Gate, Gates, GatesError};
