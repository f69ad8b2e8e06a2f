//! From kubelet's record to the files of a container, without kubelet: its record and the pods of the API are written by hand.

mod claims;
mod links;
mod metrics;
mod node;
mod shares;
mod waste;
