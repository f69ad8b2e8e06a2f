//! What the agent is told: by flags, which hold as long as it runs, and by a file, which may change at any time.

pub mod exclude;
pub mod file;
pub mod flags;
pub mod gates;
pub mod node;
pub mod scaling;
