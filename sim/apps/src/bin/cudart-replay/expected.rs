//! What the table says that an answer is.

use crate::recording::Question;
use cuda_sys::{Class, DRIVER, Row, Stream};
use std::ffi::{CString, c_void};

/// The right answer to a question.
pub(crate) enum Expected {
    /// The function of this row.
    Row(&'static Row),
    /// Nothing.
    Nothing,
    /// The table does not have the name: whatever the driver has is right.
    Unknown,
}

/// The newest function of that name that this driver exports and that is no newer than asked for; for per-thread streams
/// the form of the name that is made for them, where there is one.
pub(crate) fn expected(question: &Question) -> Expected {
    const PER_THREAD: u64 = 2;
    let named = || DRIVER.iter().filter(|row| row.query == question.name);
    if named().next().is_none() {
        return Expected::Unknown;
    }
    let has_per_thread = named().any(|row| row.stream == Stream::Ptds);
    let is_stream_right = |row: &&Row| match row.stream {
        Stream::Any => true,
        Stream::Legacy => question.flags & PER_THREAD == 0 || !has_per_thread,
        Stream::Ptds => question.flags & PER_THREAD != 0,
    };
    let version = u32::try_from(question.version).unwrap_or(u32::MAX);
    let newest = named()
        .filter(is_stream_right)
        .filter(|row| row.since <= version && exported(row.symbol).is_some())
        .max_by_key(|row| row.since);
    newest.map_or(Expected::Nothing, Expected::Row)
}

/// The exported function of that name, or the hook in front of it.
pub(crate) fn exported(symbol: &str) -> Option<*mut c_void> {
    sim_apps::function(&CString::new(symbol).ok()?)
}

/// Whether the preload library has a hook for the row.
pub(crate) const fn is_hooked(row: &Row) -> bool {
    matches!(row.class, Class::Hooked(_))
}
