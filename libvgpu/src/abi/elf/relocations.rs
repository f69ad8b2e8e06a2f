//! What an object was bound to when it was loaded.

use super::dynamic::{
    DT_JMPREL, DT_NEEDED, DT_PLTRELSZ, DT_RELA, DT_RELACOUNT, DT_RELASZ, DT_SONAME, DT_STRTAB, Dynamic,
};
use super::{Object, file_name, to_usize};
use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A word of an object that holds the address of a symbol.
pub(in crate::abi) struct Bound {
    pub(in crate::abi) name: &'static CStr,
    slot: usize,
}

#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: i64,
}

/// The kinds whose word is a symbol's address alone: an entry of the offset table, of the call table, of data.
#[cfg(target_arch = "x86_64")]
const ADDRESSES: [u64; 3] = [6, 7, 1];
#[cfg(target_arch = "aarch64")]
const ADDRESSES: [u64; 3] = [1025, 1026, 257];

impl Object<'_> {
    /// Whether the object says that it needs a library whose file name starts with `prefix`.
    pub(in crate::abi) fn needs(&self, prefix: &str) -> bool {
        self.any_name(DT_NEEDED, |name| file_name(name).starts_with(prefix.as_bytes()))
    }

    /// Whether the object says that `soname` is its name, whatever its file is called.
    pub(in crate::abi) fn is_called(&self, soname: &CStr) -> bool {
        self.any_name(DT_SONAME, |name| name == soname)
    }

    /// Whether any entry of the dynamic section with this tag holds a name that `fits`.
    fn any_name(&self, tag: i64, fits: impl Fn(&CStr) -> bool) -> bool {
        let Some(dynamic) = self.dynamic() else { return false };
        let Some(strings) = dynamic.address(DT_STRTAB) else { return false };
        dynamic.entries().filter(|entry| entry.tag == tag).any(|entry| {
            let name = (strings + to_usize(entry.value)) as *const c_char;
            // SAFETY: the value is the offset of a name in the strings of an object that is mapped.
            fits(unsafe { CStr::from_ptr(name) })
        })
    }

    /// Calls `visit` with every word that is bound to an address in `target`, and the address.
    pub(in crate::abi) fn each_bound(&self, target: &Object<'_>, mut visit: impl FnMut(Bound, usize)) {
        let (Some(dynamic), Some(symbols)) = (self.dynamic(), self.symbols()) else { return };
        for relocation in relocations(&dynamic) {
            let (kind, symbol) = (relocation.info & 0xffff_ffff, relocation.info >> 32);
            if !ADDRESSES.contains(&kind) || symbol == 0 || relocation.addend != 0 {
                continue;
            }
            let slot = self.base.wrapping_add(to_usize(relocation.offset));
            // SAFETY: the loader writes addresses there; another thread may be binding the same word.
            let address = unsafe { AtomicUsize::from_ptr(slot as *mut usize) }.load(Relaxed);
            if !target.contains(address) {
                continue;
            }
            let name =
                u32::try_from(symbol).ok().and_then(|index| symbols.name(symbols.symbol(index).st_name));
            if let Some(name) = name {
                visit(Bound { name, slot }, address);
            }
        }
    }

    /// Binds the word to `address` instead.
    pub(in crate::abi) fn bind(&self, bound: &Bound, address: usize) -> Result<(), super::Denied> {
        self.change(bound.slot, size_of::<usize>(), || {
            // SAFETY: `change` has seen to it that the word can be written; whoever reads it does so at once.
            unsafe { AtomicUsize::from_ptr(bound.slot as *mut usize) }.store(address, Relaxed);
        })
    }
}

/// Those of calls and those of data, but for the many that come first and name no symbol.
fn relocations(dynamic: &Dynamic) -> impl Iterator<Item = &'static Relocation> {
    let relative = dynamic.value(DT_RELACOUNT).unwrap_or(0);
    let data = table(dynamic.address(DT_RELA), dynamic.value(DT_RELASZ));
    let calls = table(dynamic.address(DT_JMPREL), dynamic.value(DT_PLTRELSZ));
    calls.iter().chain(data.iter().skip(relative))
}

fn table(address: Option<usize>, size: Option<usize>) -> &'static [Relocation] {
    let (Some(address), Some(size)) = (address, size) else { return &[] };
    // SAFETY: a dynamic section that names a table says how long it is; the object stays mapped while this is read.
    unsafe { core::slice::from_raw_parts(address as *const Relocation, size / size_of::<Relocation>()) }
}
