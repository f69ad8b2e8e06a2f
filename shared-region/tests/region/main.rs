//! The region among real processes: death, forks, races, bad files, and readers from outside.
#![cfg(not(loom))]

mod death;
mod files;
mod forks;
mod places;
mod races;
mod snapshots;
mod support;
