//! A library's symbol table with other addresses in it.
//!
//! Whoever looks a name up, ld.so first of all, reads the address of the table in the library's dynamic section, at every
//! lookup. So a copy of the table takes its place by one store of one word: at any instant a lookup sees the one or the
//! other whole. The word lies with the library's data; the table itself often lies with its code, which is never
//! made writable.
//!
//! The addresses are relative to where the library lies and may wrap: the loader adds them without looking. What the
//! library calls inside of itself was bound when it was linked and does not come by here.

use super::elf::{Denied, Object, Symbols, gnu_hash, is_function};
use super::library::Library;
use super::loaded::Places;
use core::ffi::CStr;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicUsize, Ordering::Acquire, Ordering::Release};

/// The copy of a symbol table, and the original.
pub(super) struct Redirected {
    base: usize,
    symbols: Symbols,
    /// Mapped for ever once it is in place.
    copy: &'static [libc::Elf64_Sym],
}

impl Redirected {
    /// The table of `object` with the hooks of `library` in place of its own functions, which are at these `places`.
    pub(super) fn to_hooks(
        object: Object<'static>,
        symbols: Symbols,
        library: &Library,
        places: &Places,
    ) -> Result<Self, Denied> {
        let base = object.base();
        let copy = copy(&symbols)?;
        for ((_, hook), place) in library.hooks().zip(places) {
            let Some(index) = *place else { continue };
            let symbol = copy.get_mut(index as usize).ok_or(Denied::Layout)?;
            if !is_function(symbol) {
                // A function that is chosen when it is looked up would have the loader call the hook to choose it.
                return Err(Denied::Layout);
            }
            symbol.st_value = (hook.0 as usize).wrapping_sub(base) as u64;
        }
        Self { base, symbols, copy }.sealed()
    }

    /// The table of `object`, a copy of the library that `first` is of, with the functions of `first`.
    pub(super) fn to_copy(object: Object<'static>, symbols: Symbols, first: &Self) -> Result<Self, Denied> {
        let base = object.base();
        let copy = copy(&symbols)?;
        for (symbol, target) in copy.iter_mut().zip(first.copy) {
            if is_function(symbol) {
                symbol.st_value = target.st_value.wrapping_add(first.base as u64).wrapping_sub(base as u64);
            }
        }
        Self { base, symbols, copy }.sealed()
    }

    /// Whether `other` is the table of the same library, byte by byte.
    pub(super) fn is_of_the_same_build(&self, other: &Symbols) -> bool {
        self.symbols.count() == other.count()
            && self.symbols.strings() == other.strings()
            && self.symbols.bytes() == other.bytes()
    }

    /// Has `object` use this table.
    pub(super) fn put_in_place(&self, object: &Object<'_>) -> Result<(), Denied> {
        let place = self.symbols.place();
        let (old, new) = (self.symbols.table() as usize, self.copy.as_ptr() as usize);
        let mut stored = Err(Denied::Layout);
        object.change(place, size_of::<usize>(), || {
            // SAFETY: the value of an entry of the dynamic section, aligned, and for the moment writable.
            let word = unsafe { AtomicUsize::from_ptr(place as *mut usize) };
            // A loader that keeps these words relative would add the library's address to ours.
            stored = word.compare_exchange(old, new, Release, Acquire).map(drop).map_err(|_| Denied::Layout);
        })?;
        stored
    }

    /// What a word that was bound to `address` as the function `name` should hold.
    pub(super) fn instead_of(&self, name: &CStr, address: usize) -> Option<usize> {
        let index = self.symbols.find(name, gnu_hash(name.to_bytes()))?;
        let instead = usize::try_from(self.copy.get(index as usize)?.st_value).ok()?.wrapping_add(self.base);
        (self.symbols.address(index) == address && instead != address).then_some(instead)
    }

    /// The copy is the loader's from now on: nobody writes to it.
    fn sealed(self) -> Result<Self, Denied> {
        // SAFETY: pages of our own that nobody has written to since they were filled.
        let result = unsafe {
            libc::mprotect(self.copy.as_ptr().cast_mut().cast(), size_of_val(self.copy), libc::PROT_READ)
        };
        if result == 0 { Ok(self) } else { Err(Denied::Protected) }
    }
}

/// A copy of the table that can be written to, in pages of its own.
fn copy(symbols: &Symbols) -> Result<&'static mut [libc::Elf64_Sym], Denied> {
    let original = symbols.bytes();
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // All of them are filled at once, which is cheaper than a page fault each.
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE;
    // SAFETY: new pages, anywhere.
    let pages = unsafe { libc::mmap(null_mut(), original.len(), protection, kind, -1, 0) };
    if pages == libc::MAP_FAILED {
        return Err(Denied::Protected);
    }
    let copy = pages.cast::<u8>();
    // SAFETY: the new pages are as long as the original and elsewhere.
    unsafe { core::ptr::copy_nonoverlapping(original.as_ptr(), copy, original.len()) };
    // SAFETY: filled with so many symbols, aligned as pages are, and nobody else's.
    Ok(unsafe { core::slice::from_raw_parts_mut(copy.cast(), symbols.count()) })
}
