//! Who a container is, from the answer to `Allocate` to the moment before it is created.

pub mod resolve;
pub mod token;
