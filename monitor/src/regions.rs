//! Accounting regions that somebody else's processes use.

use std::path::Path;

use shared_region::{OpenError, Region};

pub use shared_region::is_in_use;

/// Makes the region at `path` if there is none, with all its space taken: a full disk is an error here and now. Its mode is 0666,
/// so that processes of any user can be members.
///
/// # Errors
/// [`OpenError`] when there is no whole region afterwards.
pub fn make(path: &Path) -> Result<(), OpenError> {
    Region::open_shared(path).map(drop)
}
