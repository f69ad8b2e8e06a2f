//! Green contexts of this process, and the handles under which they can be current: other names of primary contexts.

use super::member::Member;
use super::turn::Turn;
use crate::throttle::Ending;
use cuda_sys::CUdevice;
use shared_region::BriefLock;
use tracker::Table;

/// Green contexts by handle.
#[derive(Default)]
pub(crate) struct Greens(BriefLock<Table<usize, Green>>);

struct Green {
    device: CUdevice,
    /// Handles of contexts.
    views: Vec<usize>,
}

impl Turn {
    /// The green context `handle` of the device `ordinal` has been created.
    pub(crate) fn note_green(&self, handle: usize, ordinal: CUdevice) {
        let green = Green { device: ordinal, views: Vec::new() };
        self.member.greens.0.lock().insert(handle, green);
    }
}

impl Member {
    /// The ordinal of the device of the green context `handle`.
    pub(crate) fn green(&self, handle: usize) -> Option<CUdevice> {
        self.greens.0.lock().get(&handle).map(|green| green.device)
    }

    /// The green context `handle` can be current as `view`, of the primary context `primary`.
    pub(crate) fn note_view(&self, handle: usize, view: usize, primary: usize) {
        if self.contexts.name(view, primary)
            && let Some(green) = self.greens.0.lock().get_mut(&handle)
        {
            green.views.push(view);
        }
    }

    /// The green context `handle` is about to end: nothing is measured by events that may be its own.
    pub(crate) fn leave_green(&'static self, handle: usize) {
        let views = self.greens.0.lock().get(&handle).map_or_else(Vec::new, |green| green.views.clone());
        for view in views {
            let _not_to_be_undone = Ending::begin(self, view);
        }
    }

    /// The green context `handle` has ended.
    pub(crate) fn end_green(&self, handle: usize) {
        let ended = self.greens.0.lock().remove(&handle);
        ended.iter().flat_map(|green| &green.views).for_each(|view| self.contexts.forget_name(*view));
    }
}
