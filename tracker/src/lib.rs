//! What one process holds: the sharded map of its allocations.
