//! The ledger in one thread: sums, limits, and death between any two writes.
