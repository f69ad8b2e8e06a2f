//! What programs in a slice are told of processes and use: their own, and nothing of anybody else's.

mod clients;
mod lists;
mod namespaces;
mod nvidia_smi;
mod protocol;
mod shares;
mod table;
mod unlimited;
