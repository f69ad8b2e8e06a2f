//! What one process holds. No FFI and no IO, so that it can be tested and measured without a driver.

#![forbid(unsafe_code)]

mod allocations;
mod array;
mod footprint;
mod in_hand;
#[cfg(not(loom))]
pub mod launches;
mod listing;
mod packing;
mod physical;
mod pool;
mod shard;
mod sparse;
mod spread;
mod table;

pub use allocations::{Allocation, Allocations, ContextId};
pub use array::ArrayShape;
pub use footprint::footprint;
pub use in_hand::{Hand, InHand, Word, watch};
pub use listing::Listing;
pub use packing::{Packing, Unseen};
pub use physical::{Mapping, Orphan, Physical, Piece, PieceId};
pub use pool::{Begun, Change, Growth, Moment, PoolAccount, Settled};
pub use sparse::{Remapped, Sparse, SparseArray, SparsePart};
pub use spread::golden_product;
pub use table::{Spread, Table};
