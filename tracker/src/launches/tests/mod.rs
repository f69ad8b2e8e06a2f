//! Launches on a device that tests made up.

mod admission;
mod backlog;
mod crowd;
mod device;
mod ends;
mod epochs;
mod measuring;
mod metered;
mod process;
mod sampling;
mod share;
mod threads;
