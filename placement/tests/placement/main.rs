//! What is promised of placements: by examples, and for all small nodes by comparison with brute force.

mod brute;
mod examples;
mod promises;
mod scene;
mod topology;
