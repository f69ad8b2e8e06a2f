//! What gets past us, as far as we can see it: counted, and said when `LIBCUDA_LOG_LEVEL` asks for more than faults.

use super::elf::{Denied, gnu_hash};
use super::library::Library;
use crate::report;
use core::ffi::CStr;
use core::fmt::{self, Display, Formatter};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// One thing that gets past us.
pub(super) enum Gap<'a> {
    /// The driver has this function, which a newer one than we know must have brought.
    UnknownName(&'a CStr),
    /// This library's symbol table could not be made to lead to the hooks.
    SymbolTable(&'static CStr, Denied),
    /// This is another version of a library that is loaded already.
    AnotherBuild(&'a CStr),
}

/// How many there were in this process.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Counts the gap, and says it if somebody wants to know.
#[cold]
pub(super) fn note(gap: &Gap<'_>) {
    let count = COUNT.fetch_add(1, Relaxed).saturating_add(1);
    report::detail(&format_args!("vgpu: gap {count}: {gap}"));
}

impl Display for Gap<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName(name) => {
                write!(
                    f,
                    "the driver's {} is not known here and goes to the driver uncounted",
                    name.to_string_lossy()
                )
            }
            Self::SymbolTable(library, why) => write!(
                f,
                "the symbol table of {} keeps the driver's own functions, as {}; lookups that go around dlsym and \
                 LD_PRELOAD, as with RTLD_DEEPBIND, are not limited",
                library.to_string_lossy(),
                match why {
                    Denied::Layout => "it is not laid out as expected",
                    Denied::Executable => "it lies in memory that can be executed",
                    Denied::Protected => "the system refuses to make it writable",
                }
            ),
            Self::AnotherBuild(path) => write!(
                f,
                "{} is another version of a library that is loaded already; what is called in it is not limited",
                path.to_string_lossy()
            ),
        }
    }
}

/// Counts `name`, for which the driver has a function that is not hooked, if it looks like one that should be.
pub(super) fn note_if_unknown(library: &Library, name: &CStr, hash: u32) {
    if looks_limited(name.to_bytes()) && !library.known.iter().any(|names| names.contains(&hash)) {
        note(&Gap::UnknownName(name));
    }
}

/// Whether a function of this name would take memory or time of a device.
pub(super) fn looks_limited(name: &[u8]) -> bool {
    const WORDS: [&[u8]; 4] = [b"Alloc", b"Launch", b"MemCreate", b"ArrayCreate"];
    // Libraries on top of the driver begin with cu as well, but go on in lower case.
    let is_the_driver_s = name.starts_with(b"cu") && name.get(2).is_some_and(u8::is_ascii_uppercase);
    is_the_driver_s && WORDS.iter().any(|word| name.windows(word.len()).any(|part| part == *word))
}

/// [`note_if_unknown`] for a name that `cuGetProcAddress` has just found and that is not hooked.
///
/// # Safety
/// `name` must be a NUL-terminated string.
pub(crate) unsafe fn note_query(library: &Library, name: *const core::ffi::c_char) {
    // SAFETY: promised by the caller.
    let name = unsafe { CStr::from_ptr(name) };
    if looks_limited(name.to_bytes()) {
        note_if_unknown(library, name, gnu_hash(name.to_bytes()));
    }
}
