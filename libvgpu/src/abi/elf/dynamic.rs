//! The dynamic section of a mapped object.

use super::to_usize;

pub(super) const DT_NEEDED: i64 = 1;
pub(super) const DT_PLTRELSZ: i64 = 2;
pub(super) const DT_HASH: i64 = 4;
pub(super) const DT_STRTAB: i64 = 5;
pub(super) const DT_SYMTAB: i64 = 6;
pub(super) const DT_RELA: i64 = 7;
pub(super) const DT_RELASZ: i64 = 8;
pub(super) const DT_STRSZ: i64 = 10;
pub(super) const DT_SONAME: i64 = 14;
pub(super) const DT_JMPREL: i64 = 23;
pub(super) const DT_GNU_HASH: i64 = 0x6fff_fef5;
pub(super) const DT_VERSYM: i64 = 0x6fff_fff0;
pub(super) const DT_RELACOUNT: i64 = 0x6fff_fff9;
const DT_NULL: i64 = 0;

#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Entry {
    pub(super) tag: i64,
    pub(super) value: u64,
}

/// A dynamic section, and where its object lies.
pub(super) struct Dynamic {
    first: *const Entry,
    base: usize,
    /// Where the object ends, as seen from `base`.
    span: usize,
}

impl Dynamic {
    /// # Safety
    /// `section` must be the address of the dynamic section of an object that is mapped at `base`, ends `span` bytes later and
    /// stays so.
    pub(super) unsafe fn new(section: usize, base: usize, span: usize) -> Self {
        Self { first: section as *const Entry, base, span }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        let mut next = self.first;
        core::iter::from_fn(move || {
            // SAFETY: the section ends with DT_NULL, after which `next` no longer moves.
            let entry = unsafe { *next };
            if entry.tag == DT_NULL {
                return None;
            }
            next = next.wrapping_add(1);
            Some(entry)
        })
    }

    /// The value of the first entry with this tag.
    pub(super) fn value(&self, tag: i64) -> Option<usize> {
        self.entries().find(|entry| entry.tag == tag).map(|entry| to_usize(entry.value))
    }

    /// The address that the first entry with this tag holds. glibc relocates these in place, and a symbol table that
    /// was exchanged may lie anywhere; musl and the vdso leave them relative.
    pub(super) fn address(&self, tag: i64) -> Option<usize> {
        let value = self.value(tag)?;
        let is_relative = value < self.base && value < self.span;
        Some(if is_relative { self.base.wrapping_add(value) } else { value })
    }

    /// Where the value of the first entry with this tag is.
    pub(super) fn place(&self, tag: i64) -> Option<usize> {
        let index = self.entries().position(|entry| entry.tag == tag)?;
        let entry = self.first.wrapping_add(index);
        Some(entry as usize + core::mem::offset_of!(Entry, value))
    }
}
