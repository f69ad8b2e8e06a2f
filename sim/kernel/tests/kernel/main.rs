//! The real kernel process with real client processes and threads.

mod bed;
mod death;
mod lifecycle;
mod memory;
mod observe;
mod physical;
mod tenant;
mod work;
