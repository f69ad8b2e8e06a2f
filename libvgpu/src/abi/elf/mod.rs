//! A reader of the ELF objects mapped into this process. It allocates nothing and calls nothing of the loader but
//! its own `dl_iterate_phdr`, so it is valid before any constructor has run and from inside `dlsym`.

pub(super) mod c_library;
mod change;
mod dynamic;
mod relocations;
mod symbols;

pub(super) use change::Denied;
pub(super) use symbols::{Symbols, gnu_hash, is_function};

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use dynamic::Dynamic;

/// One mapped object.
#[derive(Clone, Copy)]
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

    fn stepper<T, F: FnMut(&Object<'_>) -> ControlFlow<T>>(_: &F) -> Step {
        step::<T, F>
    }

    let callback = stepper(&visit);
    let mut search = Search { visit, found: None };
    if let Some(iterate) = iterate() {
        // SAFETY: `callback` is `step` instantiated for exactly the type that `search` has.
        unsafe { iterate(callback, (&raw mut search).cast()) };
    }
    search.found
}

type Step = unsafe extern "C" fn(*mut libc::dl_phdr_info, usize, *mut c_void) -> c_int;
type Iterate = unsafe extern "C" fn(Step, *mut c_void) -> c_int;

/// The C library's `dl_iterate_phdr`. Idempotent, so racing callers do no harm.
fn iterate() -> Option<Iterate> {
    static ITERATE: AtomicUsize = AtomicUsize::new(0);
    let known = match ITERATE.load(Relaxed) {
        0 => c_library::function(c"dl_iterate_phdr")?,
        known => known,
    };
    ITERATE.store(known, Relaxed);
    // SAFETY: the address of a function of this type.
    Some(unsafe { core::mem::transmute::<usize, Iterate>(known) })
}

/// The public part of the loader's record of an object, `struct link_map`.
#[repr(C)]
pub(super) struct LinkMap {
    pub(super) base: usize,
    pub(super) name: *const c_char,
    pub(super) dynamic: usize,
    pub(super) next: *const Self,
    previous: *const Self,
}

/// The object that holds `address`, in its code or data.
///
/// # Safety
/// Something must keep that object loaded for as long as the answer is used.
pub(super) unsafe fn object_at(address: usize) -> Option<Object<'static>> {
    find_object(|object| match object.contains(address) {
        // SAFETY: promised by the caller.
        true => ControlFlow::Break(unsafe { object.that_stays() }),
        false => ControlFlow::Continue(()),
    })
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

    /// The same, for as long as the process wants it.
    ///
    /// # Safety
    /// Something must keep the object loaded meanwhile.
    pub(super) unsafe fn that_stays(&self) -> Object<'static> {
        // SAFETY: the loader frees an object's name when it unloads the object.
        let path = unsafe { CStr::from_ptr(self.path.as_ptr()) };
        // SAFETY: as above; the headers are part of the object.
        let headers = unsafe { core::slice::from_raw_parts(self.headers.as_ptr(), self.headers.len()) };
        Object { base: self.base, path, headers }
    }

    /// What the loader adds to the object's addresses.
    pub(super) fn base(&self) -> usize {
        self.base
    }

    /// The path as the loader knows it; empty for the main program.
    pub(crate) fn path(&self) -> &CStr {
        self.path
    }

    /// Whether the file name starts with `prefix`, as in `libcuda.so` for `/usr/lib/libcuda.so.1`.
    pub(crate) fn is_named(&self, prefix: &str) -> bool {
        name_starts_with(self.path, prefix)
    }

    /// Whether it only stands in for a library where programs are linked, as the toolkit's do in a directory of their own.
    pub(super) fn is_a_stub(&self) -> bool {
        const DIRECTORY: &[u8] = b"/stubs/";
        self.path.to_bytes().windows(DIRECTORY.len()).any(|part| part == DIRECTORY)
    }

    /// Whether `address` lies in one of the object's segments.
    pub(crate) fn contains(&self, address: usize) -> bool {
        // Most objects are told apart by this alone.
        address >= self.base && self.segment(address).is_some()
    }

    /// The loaded segment that holds `address`.
    fn segment(&self, address: usize) -> Option<&libc::Elf64_Phdr> {
        let offset = address.wrapping_sub(self.base);
        self.headers
            .iter()
            .filter(|header| header.p_type == libc::PT_LOAD)
            .find(|header| offset.wrapping_sub(to_usize(header.p_vaddr)) < to_usize(header.p_memsz))
    }

    /// The dynamic symbol table.
    pub(super) fn symbols(&self) -> Option<Symbols> {
        let dynamic = self.dynamic()?;
        // SAFETY: of this object, which is mapped.
        unsafe { Symbols::new(&dynamic, self.base) }
    }

    fn dynamic(&self) -> Option<Dynamic> {
        let header = self.headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let section = self.base.wrapping_add(to_usize(header.p_vaddr));
        let ends = self.headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let span = ends.map(|header| to_usize(header.p_vaddr + header.p_memsz)).max()?;
        // SAFETY: PT_DYNAMIC of a mapped object is an array of entries that ends with DT_NULL.
        Some(unsafe { Dynamic::new(section, self.base, span) })
    }
}

/// Whether the file name in `path` starts with `prefix`.
fn name_starts_with(path: &CStr, prefix: &str) -> bool {
    file_name(path).starts_with(prefix.as_bytes())
}

/// What comes after the last slash.
pub(super) fn file_name(path: &CStr) -> &[u8] {
    let path = path.to_bytes();
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

#[expect(clippy::cast_possible_truncation, reason = "only 64-bit targets are supported")]
const fn to_usize(value: u64) -> usize {
    value as usize
}
