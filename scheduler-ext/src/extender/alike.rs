//! One answer for all nodes that are alike.

use crate::ledger::Likeness;
use crate::request::Ask;

/// How many answers are remembered: one for each [place](Likeness::place). In a cluster with more kinds of nodes, few are alike.
const PLACES: usize = 256;

/// What one pod was told of nodes, to be told again of those that are like them.
#[derive(Debug)]
pub(super) struct Alike<T> {
    /// Each likeness has its place; the last one of that place is there. None at all where nodes cannot be alike: for a pod that asks
    /// for GPUs by their UUIDs.
    told: Vec<Option<(Likeness, T)>>,
}

impl<T: Clone> Alike<T> {
    pub(super) fn new(ask: &Ask) -> Self {
        let places = if ask.request.selection.names_devices() { 0 } else { PLACES };
        Self { told: vec![None; places] }
    }

    /// What was told of a node with this likeness, or what `look` tells of it.
    pub(super) fn of(&mut self, likeness: Option<Likeness>, look: impl FnOnce() -> T) -> T {
        let (Some(likeness), false) = (likeness, self.told.is_empty()) else { return look() };
        let place = usize::from(likeness.place());
        match &self.told[place] {
            Some((known, told)) if *known == likeness => told.clone(),
            _ => {
                let told = look();
                self.told[place] = Some((likeness, told.clone()));
                told
            }
        }
    }
}
