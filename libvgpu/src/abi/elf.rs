//! A reader of the ELF objects mapped into this process. It allocates nothing and calls nothing but
//! `dl_iterate_phdr`, so it is valid before any constructor has run and from inside `dlsym`.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ops::ControlFlow;

/// One mapped object.
pub(crate) struct Object<'a> {
    base: usize,
    path: &'a CStr,
    headers: &'a [libc::Elf64_Phdr],
}

/// Calls `visit` with each mapped object until it breaks; answers with what it broke with.
pub(crate) fn find_object<T>(visit: impl FnMut(&Object<'_>) -> ControlFlow<T>) -> Option<T> {
    struct Search<F, T> {
        visit: F,
        found: Option<T>,
    }

    unsafe extern "C" fn step<T, F: FnMut(&Object<'_>) -> ControlFlow<T>>(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        data: *mut c_void,
    ) -> c_int {
        // SAFETY: `data` is the `Search` below, borrowed by nobody else.
        let search = unsafe { &mut *data.cast::<Search<F, T>>() };
        // SAFETY: the loader passes a valid `info`.
        let info = unsafe { &*info };
        // SAFETY: the loader keeps `dlpi_name` and the program headers valid while it calls us.
        let object = unsafe { Object::new(info) };
        match (search.visit)(&object) {
            ControlFlow::Continue(()) => 0,
            ControlFlow::Break(found) => {
                search.found = Some(found);
                1
            }
        }
    }

    fn stepper<T, F: FnMut(&Object<'_>) -> ControlFlow<T>>(
        _: &F,
    ) -> unsafe extern "C" fn(*mut libc::dl_phdr_info, usize, *mut c_void) -> c_int {
        step::<T, F>
    }

    let callback = stepper(&visit);
    let mut search = Search { visit, found: None };
    // SAFETY: `callback` is `step` instantiated for exactly the type that `search` has.
    unsafe { libc::dl_iterate_phdr(Some(callback), (&raw mut search).cast()) };
    search.found
}

impl Object<'_> {
    /// # Safety
    /// `info` must come from `dl_iterate_phdr` and the object must live during `'_`.
    unsafe fn new(info: &libc::dl_phdr_info) -> Self {
        let path = if info.dlpi_name.is_null() {
            c""
        } else {
            // SAFETY: the loader's names are NUL-terminated.
            unsafe { CStr::from_ptr(info.dlpi_name) }
        };
        let headers = if info.dlpi_phdr.is_null() {
            &[]
        } else {
            // SAFETY: the loader says how many headers there are.
            unsafe { core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) }
        };
        Self { base: usize::try_from(info.dlpi_addr).unwrap_or(0), path, headers }
    }

    /// The path as the loader knows it; empty for the main program.
    pub(crate) fn path(&self) -> &CStr {
        self.path
    }

    /// Whether the file name starts with `prefix`, as in `libcuda.so` for `/usr/lib/libcuda.so.1`.
    pub(crate) fn is_named(&self, prefix: &str) -> bool {
        let path = self.path.to_bytes();
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
        name.starts_with(prefix.as_bytes())
    }

    /// Whether `address` lies in one of the object's segments.
    pub(crate) fn contains(&self, address: usize) -> bool {
        self.headers.iter().filter(|header| header.p_type == libc::PT_LOAD).any(|header| {
            let start = self.base.wrapping_add(to_usize(header.p_vaddr));
            address.wrapping_sub(start) < to_usize(header.p_memsz)
        })
    }

    /// The address of the defined function `name` in the object's dynamic symbol table, of whatever version.
    pub(crate) fn symbol(&self, name: &CStr) -> Option<usize> {
        let dynamic = self.headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let dynamic = self.base.wrapping_add(to_usize(dynamic.p_vaddr)) as *const Dynamic;
        // SAFETY: PT_DYNAMIC of a mapped object is an array of entries that ends with DT_NULL.
        let tables = unsafe { Tables::read(dynamic, self.base) }?;
        // SAFETY: the tables are those of a mapped object.
        unsafe { tables.find(name) }.map(|value| self.base.wrapping_add(value))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "only 64-bit targets are supported")]
const fn to_usize(value: u64) -> usize {
    value as usize
}

#[repr(C)]
struct Dynamic {
    tag: i64,
    value: u64,
}

const DT_NULL: i64 = 0;
const DT_HASH: i64 = 4;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_GNU_HASH: i64 = 0x6fff_fef5;

/// The parts of a dynamic section that a lookup by name needs.
struct Tables {
    symbols: *const libc::Elf64_Sym,
    strings: *const c_char,
    index: Index,
}

/// How the symbols are indexed: glibc's libraries have lost the old table, musl's do not have the new one.
enum Index {
    Gnu(*const u32),
    Sysv(*const u32),
}

impl Tables {
    /// # Safety
    /// `dynamic` must point at the dynamic section of an object mapped at `base`.
    unsafe fn read(mut dynamic: *const Dynamic, base: usize) -> Option<Self> {
        let (mut symbols, mut strings, mut sysv, mut gnu) = (0, 0, 0, 0);
        // SAFETY: the section ends with DT_NULL, where the loop stops.
        while let entry = unsafe { &*dynamic }
            && entry.tag != DT_NULL
        {
            // glibc relocates these addresses in place; musl and the vdso leave them relative.
            let address = match to_usize(entry.value) {
                absolute if absolute >= base => absolute,
                relative => base.wrapping_add(relative),
            };
            match entry.tag {
                DT_SYMTAB => symbols = address,
                DT_STRTAB => strings = address,
                DT_HASH => sysv = address,
                DT_GNU_HASH => gnu = address,
                _ => {}
            }
            dynamic = dynamic.wrapping_add(1);
        }
        let index = match (gnu, sysv) {
            (1.., _) => Index::Gnu(gnu as *const u32),
            (0, 1..) => Index::Sysv(sysv as *const u32),
            (0, 0) => return None,
        };
        (symbols != 0 && strings != 0).then_some(Self {
            symbols: symbols as *const libc::Elf64_Sym,
            strings: strings as *const c_char,
            index,
        })
    }

    /// # Safety
    /// The object the tables belong to must still be mapped.
    unsafe fn find(&self, name: &CStr) -> Option<usize> {
        match self.index {
            // SAFETY: promised by the caller.
            Index::Gnu(table) => unsafe { self.find_in_chain(table, name) },
            Index::Sysv(table) => {
                // SAFETY: the second word of the table is the number of symbols.
                let count = unsafe { *table.wrapping_add(1) };
                // SAFETY: there are so many symbols.
                (0..count).find_map(|index| unsafe { self.value(index, name) })
            }
        }
    }

    /// Looks only where the hash of the name says, since every page touched in vain costs a page fault.
    ///
    /// # Safety
    /// `table` must be the DT_GNU_HASH section of an object that is mapped.
    unsafe fn find_in_chain(&self, table: *const u32, name: &CStr) -> Option<usize> {
        // SAFETY: the section starts with four words.
        let header = unsafe { core::slice::from_raw_parts(table, 4) };
        let [bucket_count, first_hashed, bloom_words, _shift] = *header else { return None };
        let bloom_length = bloom_words as usize * (size_of::<u64>() / size_of::<u32>());
        let buckets = table.wrapping_add(4 + bloom_length);
        let hash = gnu_hash(name);
        let bucket = hash.checked_rem(bucket_count)? as usize;
        // SAFETY: the buckets follow the header and the bloom filter.
        let mut index = unsafe { *buckets.wrapping_add(bucket) };
        let chains = buckets.wrapping_add(bucket_count as usize);
        while index >= first_hashed {
            // SAFETY: the chains follow the buckets, one word a hashed symbol.
            let word = unsafe { *chains.wrapping_add((index - first_hashed) as usize) };
            if word | 1 == hash | 1 {
                // SAFETY: a chain names symbols of the object.
                if let Some(value) = unsafe { self.value(index, name) } {
                    return Some(value);
                }
            }
            // The lowest bit marks the last of a chain.
            if word & 1 == 1 {
                break;
            }
            index += 1;
        }
        None
    }

    /// The value of symbol `index` if it is called `name` and defined.
    ///
    /// # Safety
    /// `index` must be below the number of symbols of an object that is mapped.
    unsafe fn value(&self, index: u32, name: &CStr) -> Option<usize> {
        const UNDEFINED: u16 = 0;
        // SAFETY: promised by the caller.
        let symbol = unsafe { &*self.symbols.wrapping_add(index as usize) };
        // SAFETY: `st_name` is an offset into the string table.
        let own_name = unsafe { CStr::from_ptr(self.strings.wrapping_add(symbol.st_name as usize)) };
        let defined = symbol.st_shndx != UNDEFINED && symbol.st_value != 0;
        (defined && own_name == name).then(|| to_usize(symbol.st_value))
    }
}

/// The hash of DT_GNU_HASH sections.
fn gnu_hash(name: &CStr) -> u32 {
    name.to_bytes().iter().fold(5381, |hash: u32, &byte| hash.wrapping_mul(33).wrapping_add(u32::from(byte)))
}
