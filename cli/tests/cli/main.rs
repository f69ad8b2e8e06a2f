//! The `vgpu` command from outside, on a machine whose driver only answers to NVML.

mod cluster;
mod demo;
mod doctor;
mod limits;
mod live;
mod machine;
mod refusals;
mod run;
mod shares;
mod signals;
mod terminal;
mod watch;
