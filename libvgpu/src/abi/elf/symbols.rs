//! The dynamic symbol table of a mapped object.

use super::dynamic::{DT_GNU_HASH, DT_HASH, DT_STRSZ, DT_STRTAB, DT_SYMTAB, DT_VERSYM, Dynamic};
use super::to_usize;
use core::ffi::CStr;

/// A symbol table with its names and its index.
pub(in crate::abi) struct Symbols {
    base: usize,
    table: *const libc::Elf64_Sym,
    strings: &'static [u8],
    versions: usize,
    index: Index,
    /// Where the loader reads the address of `table`.
    place: usize,
}

/// How the symbols are indexed: many libraries of glibc have lost the old table, NVML and old drivers lack the new one.
enum Index {
    Gnu(Gnu),
    Sysv { buckets: &'static [u32], chains: &'static [u32] },
}

/// A DT_GNU_HASH section.
struct Gnu {
    first_hashed: u32,
    buckets: &'static [u32],
    /// One word a hashed symbol; the lowest bit marks the last of a chain.
    chains: *const u32,
}

impl Symbols {
    /// # Safety
    /// `dynamic` must be that of an object mapped at `base`, which stays mapped while this is used.
    pub(super) unsafe fn new(dynamic: &Dynamic, base: usize) -> Option<Self> {
        let strings = dynamic.address(DT_STRTAB)? as *const u8;
        // SAFETY: the section says how long its strings are.
        let strings = unsafe { core::slice::from_raw_parts(strings, dynamic.value(DT_STRSZ)?) };
        let index = match (dynamic.address(DT_GNU_HASH), dynamic.address(DT_HASH)) {
            // SAFETY: of this object.
            (Some(section), _) => Index::Gnu(unsafe { Gnu::new(section as *const u32) }?),
            // SAFETY: as above.
            (None, Some(section)) => unsafe { sysv(section as *const u32) }?,
            (None, None) => return None,
        };
        let table = dynamic.address(DT_SYMTAB)? as *const libc::Elf64_Sym;
        let versions = dynamic.address(DT_VERSYM).unwrap_or(0);
        Some(Self { base, table, strings, versions, index, place: dynamic.place(DT_SYMTAB)? })
    }

    /// The index of the defined symbol `name`, whose hash is `hash`. Looks only where the hash says, since every page
    /// touched in vain costs a page fault.
    pub(in crate::abi) fn find(&self, name: &CStr, hash: u32) -> Option<u32> {
        let is_it = |index: &u32| {
            let symbol = self.symbol(*index);
            symbol.st_shndx != UNDEFINED && symbol.st_value != 0 && self.has_name(&symbol, name)
        };
        match &self.index {
            Index::Gnu(gnu) => gnu.chain(hash).find(is_it),
            Index::Sysv { buckets, chains } => chain_of(buckets, chains, name).find(is_it),
        }
    }

    /// How many symbols there are.
    pub(in crate::abi) fn count(&self) -> usize {
        match &self.index {
            Index::Gnu(gnu) => gnu.count(),
            Index::Sysv { chains, .. } => chains.len(),
        }
    }

    pub(in crate::abi) fn symbol(&self, index: u32) -> libc::Elf64_Sym {
        // SAFETY: indices come from the object's own hash table.
        unsafe { *self.table.wrapping_add(index as usize) }
    }

    /// Where symbol `index` lies in memory, if it is a function that needs not be chosen first.
    pub(in crate::abi) fn function(&self, index: u32) -> Option<usize> {
        is_function(&self.symbol(index)).then(|| self.address(index))
    }

    /// Where symbol `index` lies in memory.
    pub(in crate::abi) fn address(&self, index: u32) -> usize {
        self.base.wrapping_add(to_usize(self.symbol(index).st_value))
    }

    pub(in crate::abi) fn table(&self) -> *const libc::Elf64_Sym {
        self.table
    }

    /// The table as it lies in memory.
    pub(in crate::abi) fn bytes(&self) -> &'static [u8] {
        let length = self.count() * size_of::<libc::Elf64_Sym>();
        // SAFETY: the table of a mapped object, which has so many symbols.
        unsafe { core::slice::from_raw_parts(self.table.cast(), length) }
    }

    /// The names, one after another.
    pub(in crate::abi) fn strings(&self) -> &'static [u8] {
        self.strings
    }

    pub(in crate::abi) fn place(&self) -> usize {
        self.place
    }

    /// Where the version of symbol `index` is, if the object has versions.
    pub(in crate::abi) fn version_place(&self, index: u32) -> Option<usize> {
        (self.versions != 0).then(|| self.versions + index as usize * size_of::<u16>())
    }

    fn has_name(&self, symbol: &libc::Elf64_Sym, name: &CStr) -> bool {
        let rest = self.strings.get(symbol.st_name as usize..).unwrap_or_default();
        rest.starts_with(name.to_bytes_with_nul())
    }

    /// The name at `offset` of the strings.
    pub(super) fn name(&self, offset: u32) -> Option<&'static CStr> {
        CStr::from_bytes_until_nul(self.strings.get(offset as usize..)?).ok()
    }
}

const UNDEFINED: u16 = 0;

/// Whether `symbol` is a function of its object. One that is chosen when it is looked up is not: its address is that of
/// the code that chooses.
pub(in crate::abi) const fn is_function(symbol: &libc::Elf64_Sym) -> bool {
    const FUNCTION: u8 = 2;
    const FIRST_SPECIAL: u16 = 0xff00;
    symbol.st_info & 0xf == FUNCTION && symbol.st_shndx != UNDEFINED && symbol.st_shndx < FIRST_SPECIAL
}

impl Gnu {
    /// # Safety
    /// `section` must be the DT_GNU_HASH section of an object that stays mapped.
    unsafe fn new(section: *const u32) -> Option<Self> {
        // SAFETY: the section starts with four words.
        let header = unsafe { core::slice::from_raw_parts(section, 4) };
        let [bucket_count, first_hashed, bloom_words, _shift] = *header else { return None };
        let bloom_length = bloom_words as usize * (size_of::<u64>() / size_of::<u32>());
        let first = section.wrapping_add(4 + bloom_length);
        // SAFETY: the buckets follow the header and the bloom filter.
        let buckets = unsafe { core::slice::from_raw_parts(first, bucket_count as usize) };
        Some(Self { first_hashed, buckets, chains: first.wrapping_add(buckets.len()) })
    }

    /// The symbols whose hash is `hash`.
    fn chain(&self, hash: u32) -> impl Iterator<Item = u32> {
        // Of 32 bits, which a processor divides twice as fast as 64.
        let bucket = u32::try_from(self.buckets.len()).ok().and_then(|count| hash.checked_rem(count));
        let start = bucket.and_then(|bucket| self.buckets.get(bucket as usize)).copied().unwrap_or(0);
        self.from(start).filter(move |&(_, word)| word | 1 == hash | 1).map(|(index, _)| index)
    }

    /// The chain that starts at symbol `start`, with the word of each symbol.
    fn from(&self, start: u32) -> impl Iterator<Item = (u32, u32)> {
        let (chains, first_hashed) = (self.chains, self.first_hashed);
        let mut next = (start >= first_hashed).then_some(start);
        core::iter::from_fn(move || {
            let index = next?;
            // SAFETY: the chains follow the buckets, one word a hashed symbol, and a chain has an end.
            let word = unsafe { *chains.wrapping_add((index - first_hashed) as usize) };
            next = (word & 1 == 0).then(|| index + 1);
            Some((index, word))
        })
    }

    /// The symbols are sorted by bucket, so the last of the last chain is the last of all.
    fn count(&self) -> usize {
        let last = self.buckets.iter().copied().max().unwrap_or(0);
        let last = self.from(last).last().map_or(self.first_hashed, |(index, _)| index + 1);
        last as usize
    }
}

/// # Safety
/// `section` must be the DT_HASH section of an object that stays mapped.
unsafe fn sysv(section: *const u32) -> Option<Index> {
    // SAFETY: the section starts with two words.
    let header = unsafe { core::slice::from_raw_parts(section, 2) };
    let [bucket_count, chain_count] = *header else { return None };
    let first = section.wrapping_add(2);
    // SAFETY: so many buckets follow.
    let buckets = unsafe { core::slice::from_raw_parts(first, bucket_count as usize) };
    // SAFETY: and then so many chains, one a symbol.
    let chains =
        unsafe { core::slice::from_raw_parts(first.wrapping_add(buckets.len()), chain_count as usize) };
    Some(Index::Sysv { buckets, chains })
}

/// The symbols of a DT_HASH section that may be called `name`.
fn chain_of(buckets: &'static [u32], chains: &'static [u32], name: &CStr) -> impl Iterator<Item = u32> {
    let bucket = (sysv_hash(name.to_bytes()) as usize).checked_rem(buckets.len());
    let start = bucket.and_then(|bucket| buckets.get(bucket)).copied().unwrap_or(0);
    // Symbol 0 is no symbol: it ends a chain.
    core::iter::successors((start != 0).then_some(start), |&index| {
        chains.get(index as usize).copied().filter(|&next| next != 0)
    })
}

/// The hash of DT_GNU_HASH sections.
pub(in crate::abi) const fn gnu_hash(mut name: &[u8]) -> u32 {
    let mut hash: u32 = 5381;
    while let [byte, rest @ ..] = name {
        hash = hash.wrapping_mul(33).wrapping_add(*byte as u32);
        name = rest;
    }
    hash
}

/// The hash of DT_HASH sections.
fn sysv_hash(name: &[u8]) -> u32 {
    name.iter().fold(0, |hash: u32, &byte| {
        let hash = (hash << 4).wrapping_add(u32::from(byte));
        let high = hash & 0xf000_0000;
        (hash ^ (high >> 24)) & !high
    })
}
