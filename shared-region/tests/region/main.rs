//! The region among real processes: death, forks, races, bad files, and readers from outside.
#![cfg(not(loom))]

mod compute;
mod death;
mod files;
mod forks;
mod heirs;
mod holders;
mod imports;
mod places;
mod races;
mod scarcity;
mod snapshots;
mod support;
mod users;
