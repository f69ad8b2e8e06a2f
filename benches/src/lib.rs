//! What measuring needs, whatever is measured: programs that do one kind of work, settings in which they do it, rounds in which
//! settings take turns, and order statistics. `overhead` and `report` are made of it.

#![forbid(unsafe_code)]

pub mod interposer;
pub mod machine;
pub mod program;
pub mod rounds;
pub mod running;
pub mod start;
pub mod statistics;
pub mod subject;
pub mod work;
