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
    count: usize,
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
            // SAFETY: not at DT_NULL yet, so there is a next entry.
            dynamic = unsafe { dynamic.add(1) };
        }
        let count = match (sysv, gnu) {
            // SAFETY: the second word of DT_HASH is the number of symbols.
            (1.., _) => unsafe { *(sysv as *const u32).wrapping_add(1) as usize },
            // SAFETY: a DT_GNU_HASH section of a mapped object.
            (0, 1..) => unsafe { gnu_symbol_count(gnu as *const u32) },
            (0, 0) => return None,
        };
        (symbols != 0 && strings != 0).then_some(Self {
            symbols: symbols as *const libc::Elf64_Sym,
            strings: strings as *const c_char,
            count,
        })
    }

    /// # Safety
    /// The object the tables belong to must still be mapped.
    unsafe fn find(&self, name: &CStr) -> Option<usize> {
        const UNDEFINED: u16 = 0;
        (0..self.count).find_map(|index| {
            // SAFETY: `index` is below the number of symbols.
            let symbol = unsafe { &*self.symbols.wrapping_add(index) };
            // SAFETY: `st_name` is an offset into the string table.
            let symbol_name = unsafe { CStr::from_ptr(self.strings.wrapping_add(symbol.st_name as usize)) };
            let defined = symbol.st_shndx != UNDEFINED && symbol.st_value != 0;
            (defined && symbol_name == name).then(|| to_usize(symbol.st_value))
        })
    }
}

/// The number of symbols, which a GNU hash section only tells through its longest chain.
///
/// # Safety
/// `table` must be a DT_GNU_HASH section of a mapped object.
unsafe fn gnu_symbol_count(table: *const u32) -> usize {
    // SAFETY: the section starts with four words.
    let header = unsafe { core::slice::from_raw_parts(table, 4) };
    let [bucket_count, first_hashed, bloom_words, _shift] = *header else { return 0 };
    let bloom_words_of_u32 = bloom_words as usize * (size_of::<u64>() / size_of::<u32>());
    let buckets = table.wrapping_add(4 + bloom_words_of_u32);
    // SAFETY: the buckets follow the header and the bloom filter, and there are `bucket_count` of them.
    let last = unsafe { core::slice::from_raw_parts(buckets, bucket_count as usize) }.iter().max().copied();
    let Some(mut last) = last.filter(|&last| last >= first_hashed) else { return first_hashed as usize };
    let chains = buckets.wrapping_add(bucket_count as usize);
    // SAFETY: the chains follow the buckets, one word a hashed symbol; the last bucket's chain ends with a word whose
    // lowest bit is set.
    while unsafe { *chains.wrapping_add((last - first_hashed) as usize) } & 1 == 0 {
        last += 1;
    }
    last as usize + 1
}
