//! One interposed library: its entry points, the real addresses behind them, and our hooks.

use super::elf::{Object, find_object, gnu_hash, object_at};
use super::loaded::Loaded;
use super::loader;
use core::ffi::{CStr, c_void};
use core::ops::ControlFlow;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU16, Ordering::Acquire, Ordering::Release};

/// An entry point of an interposed library.
///
/// Nothing here is an address, which the loader would have to put there: these would be pages of memory in every process, and
/// few processes use CUDA.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    name: [u8; LONGEST],
    length: u8,
    /// Of the name, as ELF's hash tables have it.
    pub(super) hash: u32,
    /// Its place in the library's `real`.
    row: u16,
    is_hooked: bool,
}

/// The longest name, and the NUL behind it.
const LONGEST: usize = 56;

impl Entry {
    /// The entry point `name`, which ends with a NUL. Evaluated at compile time.
    #[expect(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        reason = "a wrong index does not compile"
    )]
    pub(super) const fn new(name: &str, row: u16, is_hooked: bool) -> Self {
        let bytes = name.as_bytes();
        let mut own = [0; LONGEST];
        let mut index = 0;
        while index < bytes.len() {
            own[index] = bytes[index];
            index += 1;
        }
        let (symbol, _) = bytes.split_at(bytes.len() - 1);
        Self { name: own, length: bytes.len() as u8, hash: gnu_hash(symbol), row, is_hooked }
    }

    pub(super) fn name(&self) -> &CStr {
        let name = self.name.get(..usize::from(self.length));
        name.and_then(|name| CStr::from_bytes_with_nul(name).ok()).unwrap_or_default()
    }
}

/// The address of an exported hook.
#[derive(Clone, Copy)]
pub(super) struct Hook(pub(super) *const c_void);

// SAFETY: the address of a function; it is compared and handed out, never read through.
unsafe impl Sync for Hook {}

/// An interposed library and what is known of the copy the application loaded.
pub(crate) struct Library {
    /// The name to load it by.
    pub(super) soname: &'static CStr,
    /// What its file name starts with, wherever it lies.
    pub(super) prefix: &'static str,
    /// Its hooked entry points.
    pub(super) hooked: &'static [Entry],
    /// The hook of each of `hooked`.
    pub(super) hooks: &'static [Hook],
    /// By row, the address of the real function; null while it is not known.
    pub(super) real: &'static [AtomicPtr<c_void>],
    /// Of each of `hooked`, in its order: a lookup compares these before it touches an entry.
    pub(super) hashes: &'static [u32],
    /// Hashes of every name that is known, hooked or not.
    pub(super) known: &'static [&'static [u32]],
    /// Finds the place in `hooked`, plus one, by the real address.
    pub(super) by_address: &'static [AtomicU16],
    /// The copy of it that was met first; null before.
    pub(super) loaded: AtomicPtr<Loaded>,
}

impl Library {
    /// The hooked entry point `name`.
    pub(super) fn find(&self, name: &CStr, hash: u32) -> Option<(&'static Entry, *mut c_void)> {
        let mut places = self.hashes.iter().enumerate().filter(|(_, known)| **known == hash);
        places.find_map(|(place, _)| {
            let (entry, hook) = (self.hooked.get(place)?, self.hooks.get(place)?);
            (entry.name() == name).then_some((entry, hook.0.cast_mut()))
        })
    }

    /// The hooked entry points, and the hook of each.
    pub(super) fn hooks(&self) -> impl Iterator<Item = (&'static Entry, Hook)> {
        self.hooked.iter().zip(self.hooks.iter().copied())
    }

    /// Our hook for the real function at `address`, if there is one.
    pub(crate) fn hook_of(&self, address: *mut c_void) -> Option<*mut c_void> {
        let mut places =
            self.probe(address).filter_map(|number| usize::from(number.load(Acquire)).checked_sub(1));
        let place =
            places.find(|place| self.hooked.get(*place).is_some_and(|entry| self.known(entry) == address))?;
        self.hooks.get(place).map(|hook| hook.0.cast_mut())
    }

    /// The address of the real function behind `entry`; null while nobody has loaded one or the library lacks it.
    fn real(&self, entry: &Entry) -> *mut c_void {
        let known = self.known(entry);
        if known.is_null() { self.resolve(entry) } else { known }
    }

    /// The same as far as it is known.
    fn known(&self, entry: &Entry) -> *mut c_void {
        self.real.get(usize::from(entry.row)).map_or(null_mut(), |real| real.load(Acquire))
    }

    fn remember(&self, entry: &Entry, address: *mut c_void) {
        self.real.get(usize::from(entry.row)).into_iter().for_each(|real| real.store(address, Release));
    }

    /// Looks for the real function behind `entry`, whose address is not known.
    #[cold]
    pub(super) fn resolve(&self, entry: &Entry) -> *mut c_void {
        let Some(loaded) = self.loaded() else {
            // A library of another name may have this one's functions, as stubs do that load it at their first call.
            return loader::dlsym(libc::RTLD_NEXT, entry.name());
        };
        if entry.is_hooked {
            return self.known(entry);
        }
        let address = loader::dlsym(loaded.handle(), entry.name());
        self.remember(entry, address);
        address
    }

    /// Whether `address`, the loader's answer for `entry`, is this library's own function.
    pub(super) fn owns(&'static self, entry: &Entry, address: *mut c_void) -> bool {
        // SAFETY: the application has just found something in that object through a handle of its own.
        let object = unsafe { object_at(address as usize) };
        object.into_iter().for_each(|object| self.meet(object));
        self.is_loaded() && self.real(entry) == address
    }

    /// Whether the application has loaded the library and that has the entry point.
    pub(super) fn has(&'static self, entry: &Entry) -> bool {
        self.is_loaded() && !self.real(entry).is_null()
    }

    /// Whether the application has loaded the library.
    pub(crate) fn is_loaded(&self) -> bool {
        self.loaded().is_some()
    }

    /// Whether something that looks the library's functions up by name may be left alone with it: there is none, or its
    /// own symbol table leads to the hooks.
    pub(super) fn needs_no_help(&self) -> bool {
        self.loaded().is_none_or(Loaded::is_redirected)
    }

    /// Whether a lookup through `handle` is one in the library itself, whose own symbol table leads to the hooks.
    pub(super) fn leads_to_hooks(&self, handle: *mut c_void) -> bool {
        self.known_copy().is_some_and(|loaded| loaded.handle() == handle && loaded.is_redirected())
    }

    /// Whether `address` lies in the library.
    pub(super) fn holds(&self, address: *mut c_void) -> bool {
        self.loaded().is_some_and(|loaded| loaded.holds(address as usize))
    }

    /// Loads the library if the application has not. For our own use of NVML.
    pub(crate) fn load(&self) -> bool {
        if self.is_loaded() {
            return true;
        }
        self.attach(loader::load(self.soname));
        self.is_loaded()
    }

    /// Takes notice of a loaded object, if it is this library or a copy of it. It must stay loaded meanwhile.
    pub(super) fn meet(&self, object: Object<'static>) {
        if !object.is_named(self.prefix) || object.is_a_stub() {
            return;
        }
        match self.known_copy() {
            None => self.attach(loader::pin(object.path())),
            Some(loaded) => loaded.adopt(self, object),
        }
    }

    /// The first copy, looked for if it is not known.
    fn loaded(&self) -> Option<&'static Loaded> {
        self.known_copy().or_else(|| {
            if self.is_mapped() {
                self.attach(loader::pin(self.soname));
            }
            self.known_copy()
        })
    }

    /// Whether any object could be this library. Where none is, the loader would search the file system for one before
    /// it says so, in every directory that it knows.
    fn is_mapped(&self) -> bool {
        let found =
            find_object(|object| match object.is_named(self.prefix) || object.is_called(self.soname) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            });
        found.is_some()
    }

    fn known_copy(&self) -> Option<&'static Loaded> {
        // SAFETY: null, or a box that is never freed.
        unsafe { self.loaded.load(Acquire).as_ref() }
    }

    /// Learns the addresses of every hooked entry, so that `cuGetProcAddress` answers can be recognised, then has the
    /// library's own symbol table lead to the hooks. Racing callers learn the same, and one of them goes on.
    fn attach(&self, handle: *mut c_void) {
        // While it was being loaded, it may have told us itself.
        if handle.is_null() || self.known_copy().is_some() {
            return;
        }
        let loaded = Box::new(Loaded::of(handle, self));
        let pointer = Box::into_raw(loaded);
        match self.loaded.compare_exchange(null_mut(), pointer, Release, Acquire) {
            // SAFETY: from the box above, and from now on never freed.
            Ok(_) => unsafe { &*pointer }.redirect(self),
            // SAFETY: from the box above, which nobody else has seen.
            Err(_) => drop(unsafe { Box::from_raw(pointer) }),
        }
    }

    /// Remembers the real address of the hooked entry at `place`.
    pub(super) fn learn(&self, place: usize, address: *mut c_void) {
        let Some(entry) = self.hooked.get(place) else { return };
        self.remember(entry, address);
        let Ok(number) = u16::try_from(place + 1) else { return };
        // Threads that learn at once insert the same entries in the same order, and so into the same places.
        let free = self.probe(address).find(|place| [0, number].contains(&place.load(Acquire)));
        free.into_iter().for_each(|place| place.store(number, Release));
    }

    /// The places of `by_address` where `address` may be, up to the first that is free.
    fn probe(&self, address: *mut c_void) -> impl Iterator<Item = &'static AtomicU16> {
        // A power of two.
        let size = self.by_address.len();
        // Functions are aligned to 16 bytes.
        let start = (address as usize) >> 4;
        let places = (0..size).filter_map(move |step| self.by_address.get((start + step) & (size - 1)));
        let mut ended = false;
        places.take_while(move |place| {
            let goes_on = !ended;
            ended = place.load(Acquire) == 0;
            goes_on
        })
    }
}
