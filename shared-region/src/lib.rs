//! The memory-mapped accounting region that the processes of one container share.
