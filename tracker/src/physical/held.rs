//! Pieces that something without an address holds.

use super::{Physical, PieceId};

impl Physical {
    /// Records that something without an address of its own, such as a sparse array, holds `id`, until it is
    /// [`unmapped`](Self::unmapped) there.
    pub fn hold(&mut self, id: PieceId) {
        if let Some(held) = self.pieces.get_mut(&id) {
            held.references += 1;
        }
    }
}
