//! The agent beside a kubelet of our own, which does what the real one does in the order in which it does it.

mod fake;
mod faults;
mod inventory;
mod kubelet;
mod start;
