//! Our exports, which are for programs that are linked against the driver, and not for those that look names up.
//!
//! The loader finds them first in the scope of a whole program, where without us it would have found the driver's or
//! nothing. Since the driver's own symbol table leads to the hooks, such a lookup had better not see ours. ELF has a
//! state for that: a symbol of the first version, hidden. References without a version, which is what programs have
//! that were linked against the driver, are bound to it; lookups by name are not shown it. So the loader answers as
//! natively, in whichever scope the caller may search, and in its own words when there is nothing.
//!
//! This is done when a name of the driver is first looked up in more than the driver, in the table of versions of this library.

use super::elf::{Denied, object_at};
use super::libraries;
use core::sync::atomic::{AtomicU8, AtomicU16, Ordering::Relaxed};

/// The first version that a library can have, hidden.
const HIDDEN: u16 = 0x8002;
/// No version, seen by all.
const GLOBAL: u16 = 1;

static STATE: AtomicU8 = AtomicU8::new(SHOWN);
const SHOWN: u8 = 0;
const IS_HIDDEN: u8 = 1;
const STUCK: u8 = 2;

/// Hides the exports from lookups by name, if that can be done, and answers whether they are hidden.
pub(super) fn hide() -> bool {
    if STATE.load(Relaxed) == SHOWN {
        let all_lead_to_hooks = libraries().iter().all(|library| library.needs_no_help());
        let done = if all_lead_to_hooks { set_versions(HIDDEN) } else { Err(Denied::Layout) };
        STATE.store(if done.is_ok() { IS_HIDDEN } else { STUCK }, Relaxed);
    }
    STATE.load(Relaxed) == IS_HIDDEN
}

/// Has lookups by name find the exports, as something that is loaded does not lead to the hooks by itself.
pub(super) fn show() {
    if STATE.swap(STUCK, Relaxed) == IS_HIDDEN {
        // What could be changed once can be changed back.
        let _ = set_versions(GLOBAL);
    }
}

fn set_versions(version: u16) -> Result<(), Denied> {
    // SAFETY: this library, which is never unloaded.
    let own = unsafe { object_at(hide as fn() -> bool as usize) }.ok_or(Denied::Layout)?;
    let symbols = own.symbols().ok_or(Denied::Layout)?;
    let length = symbols.count() * size_of::<u16>();
    let versions = symbols.version_place(0).ok_or(Denied::Layout)?;
    own.change(versions, length, || {
        for entry in libraries().iter().flat_map(|library| library.hooked) {
            let index = symbols.find(entry.name(), entry.hash);
            let Some(place) = index.and_then(|index| symbols.version_place(index)) else { continue };
            // SAFETY: the version of a symbol, aligned, and for the moment writable.
            unsafe { AtomicU16::from_ptr(place as *mut u16) }.store(version, Relaxed);
        }
    })
}
