//! What must not change in a process, and what must fail well.

mod misuse;
mod process;
mod region;
mod secure;
