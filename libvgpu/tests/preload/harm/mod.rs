//! What must not change in a process, and what must fail well.

mod misuse;
mod page;
mod process;
mod region;
mod sandbox;
mod sanitizers;
mod secure;
mod speechless;
mod stack;
