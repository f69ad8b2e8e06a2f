//! Initialisations and the connection they share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuda_sys::nvmlReturn_t;

use crate::abi::Outcome;
use crate::session::Session;

/// The library in this process.
struct Library {
    /// Initialisations not yet undone.
    uses: u64,
    /// The connection, while there is at least one.
    session: Option<Arc<Session>>,
}

static LIBRARY: Mutex<Library> = Mutex::new(Library { uses: 0, session: None });

fn library() -> MutexGuard<'static, Library> {
    // What it guards is valid after every statement, so a panic elsewhere spoils nothing.
    LIBRARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Initialises, or counts one initialisation more. A failed one counts for nothing.
///
/// # Errors
/// Those of [`Session::open`].
pub(crate) fn start() -> Outcome {
    let mut library = library();
    if library.uses == 0 {
        library.session = Some(Arc::new(Session::open()?));
    }
    library.uses += 1;
    Ok(())
}

/// Undoes one initialisation; the last one disconnects. One too many is no error, as with the real library.
pub(crate) fn stop() {
    let mut library = library();
    library.uses = library.uses.saturating_sub(1);
    if library.uses == 0 {
        library.session = None;
    }
}

/// The connection. A forked child of the process that initialised gets one of its own, since the real library goes
/// on working there.
///
/// # Errors
/// `UNINITIALIZED`, and in a forked child those of [`Session::open`].
pub(crate) fn session() -> Outcome<Arc<Session>> {
    let mut library = library();
    let session = library.session.as_ref().ok_or(nvmlReturn_t::UNINITIALIZED)?;
    if session.owner == std::process::id() {
        return Ok(Arc::clone(session));
    }
    let own = Arc::new(Session::open()?);
    library.session = Some(Arc::clone(&own));
    Ok(own)
}
