//! The expansion that both tables share: exports, typed calls of the real functions, entries for lookups.

#![expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, where a wrong index does not compile"
)]

/// Expands rows `class symbol(arg: type, ...);` of functions that return `$result`, `$missing` where the real library
/// is not loaded or lacks the symbol.
///
/// In the expanding module: `HOOKED` and what finds an entry in it, `HOOKS` and `REAL`, the private module `export` with the functions that
/// stand in front of the library's, and the module `real` with the library's own.
macro_rules! interpose {
    ($result:ident, $missing:expr; $($class:ident $symbol:ident($($arg:ident: $ty:ty),*);)*) => {
        /// The rows, by their symbols.
        #[allow(non_camel_case_types, dead_code, reason = "the library's names, of which the hooks use some")]
        enum Row {
            $($symbol),*
        }

        const IS_HOOKED: &[bool] = &[$($crate::abi::interpose::is_hooked!($class)),*];

        static ENTRIES: [Entry; IS_HOOKED.len()] = [$(Entry::new(
            concat!(stringify!($symbol), "\0"),
            Row::$symbol as u16,
            $crate::abi::interpose::is_hooked!($class),
        )),*];

        /// The entry points that are hooked, and the hook of each.
        static HOOKED: [Entry; $crate::abi::interpose::count(IS_HOOKED)] =
            $crate::abi::interpose::select(&ENTRIES, IS_HOOKED);
        static HOOKS: [Hook; HOOKED.len()] =
            $crate::abi::interpose::select(&[$($crate::abi::interpose::hook!($class $symbol)),*], IS_HOOKED);

        /// The library's own functions, by row, as far as they have been looked for.
        static REAL: [AtomicPtr<c_void>; ENTRIES.len()] =
            [const { AtomicPtr::new(null_mut()) }; ENTRIES.len()];

        /// The hashes of all names, and of those that are hooked.
        const SYMBOLS: &[u32] = &[$($crate::abi::elf::gnu_hash(stringify!($symbol).as_bytes())),*];
        static HASHES: [u32; HOOKED.len()] = $crate::abi::interpose::select(SYMBOLS, IS_HOOKED);

        /// Twice as many as are hooked, so that a search is short.
        static BY_ADDRESS: [AtomicU16; (2 * HOOKED.len()).next_power_of_two()] =
            [const { AtomicU16::new(0) }; (2 * HOOKED.len()).next_power_of_two()];

        /// The functions this library puts in front of the real ones.
        mod export {
            use super::*;
            $($crate::abi::interpose::export!($class $symbol($($arg: $ty),*) -> $result);)*
        }

        /// The real functions.
        #[allow(
            dead_code,
            clippy::indexing_slicing,
            clippy::too_many_arguments,
            reason = "one function a row, of which the hooks use some; a row has its place in the tables of all"
        )]
        pub(crate) mod real {
            use super::*;
            $(
                #[inline]
                pub(crate) unsafe fn $symbol($($arg: $ty),*) -> $result {
                    let known = REAL[Row::$symbol as usize].load(Acquire);
                    let address = match known.is_null() {
                        true => LIBRARY.resolve(&ENTRIES[Row::$symbol as usize]),
                        false => known,
                    };
                    if address.is_null() {
                        return $missing;
                    }
                    // SAFETY: the library's function of this name has the signature of its row, which is checked
                    // against the vendor's header.
                    let function = unsafe {
                        core::mem::transmute::<*mut c_void, unsafe extern "C" fn($($ty),*) -> $result>(address)
                    };
                    // SAFETY: the caller's promise about the arguments.
                    unsafe { function($($arg),*) }
                }
            )*
        }
    };
}

macro_rules! is_hooked {
    (plain) => {
        false
    };
    (uncounted) => {
        false
    };
    ($class:ident) => {
        true
    };
}

macro_rules! hook {
    (plain $symbol:ident) => {
        Hook(null_mut())
    };
    (uncounted $symbol:ident) => {
        Hook(null_mut())
    };
    ($class:ident $symbol:ident) => {
        Hook(export::$symbol as *const c_void)
    };
}

macro_rules! export {
    (plain $($row:tt)*) => {};
    (uncounted $($row:tt)*) => {};
    ($class:ident $symbol:ident($($arg:ident: $ty:ty),*) -> $result:ident) => {
        #[unsafe(no_mangle)]
        pub(super) unsafe extern "C" fn $symbol($($arg: $ty),*) -> $result {
            // SAFETY: the application's own arguments.
            unsafe { $crate::hooks::$class::$symbol($($arg),*) }
        }
    };
}

pub(super) use {export, hook, interpose, is_hooked};

/// How many of `flags` are set.
pub(super) const fn count(flags: &[bool]) -> usize {
    let (mut index, mut count) = (0, 0);
    while index < flags.len() {
        count += flags[index] as usize;
        index += 1;
    }
    count
}

/// Those of `all` whose flag is set, of which there must be `N`.
pub(super) const fn select<T: Copy, const N: usize>(all: &[T], flags: &[bool]) -> [T; N] {
    let mut selected = [all[0]; N];
    let (mut index, mut kept) = (0, 0);
    while index < all.len() {
        if flags[index] {
            selected[kept] = all[index];
            kept += 1;
        }
        index += 1;
    }
    assert!(kept == N);
    selected
}
