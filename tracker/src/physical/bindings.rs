//! What multicast objects have.

use super::{Physical, Piece, PieceId, What};

/// A part of a multicast object: the object, what the driver calls the device, and the first byte.
pub(super) type Seat = (PieceId, i32, u64);

impl Physical {
    /// Records that the multicast object `object` has `id` from its byte `offset` on, for the device that the driver calls
    /// `ordinal`; `None`: for the device where it is.
    pub fn bind(&mut self, object: PieceId, ordinal: Option<i32>, offset: u64, id: PieceId) {
        let Some(held) = self.pieces.get_mut(&id) else { return };
        let home = if let What::Own(piece) = held.what { Some(piece.ordinal) } else { None };
        // What is not charged here needs no record where nobody says for which device it is.
        let Some(ordinal) = ordinal.or(home) else { return };
        held.references += 1;
        if let Some(before) = self.bindings.insert((object, ordinal, offset), id) {
            // The driver has let go of that, or would have refused this.
            if let Some(held) = self.pieces.get_mut(&before) {
                held.references -= 1;
            }
        }
    }

    /// The driver has taken what `object` had in `bytes` from `offset` on for a device. Returns what is to be given back.
    pub fn unbound(&mut self, object: PieceId, ordinal: i32, offset: u64, bytes: u64) -> Vec<Piece> {
        let range = (object, ordinal, offset)..(object, ordinal, offset.saturating_add(bytes));
        self.drop_bindings(range)
    }

    pub(super) fn drop_bindings(&mut self, range: core::ops::Range<Seat>) -> Vec<Piece> {
        let bound: Vec<_> = self.bindings.extract_if(range, |_, _| true).map(|(_, id)| id).collect();
        bound.into_iter().flat_map(|id| self.drop_reference(id)).collect()
    }
}
