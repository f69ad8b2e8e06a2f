//! The real kernel process with real client processes and threads.

mod bed;
mod conditions;
mod death;
mod lifecycle;
mod memory;
mod observe;
mod physical;
mod tenant;
mod work;
