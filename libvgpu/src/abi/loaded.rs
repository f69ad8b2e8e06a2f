//! The copy of an interposed library that this process uses.

use super::elf::{Denied, Object, Symbols, find_object};
use super::gaps::{self, Gap};
use super::library::Library;
use super::redirected::Redirected;
use super::{exports, loader};
use core::ffi::c_void;
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};

/// A loaded library and the symbol table that leads to the hooks.
pub(super) struct Loaded {
    /// The loader's handle, never closed, so that pointers stay valid.
    handle: *mut c_void,
    /// How it lies in memory, and the table to come in place of its own. Without them the loader's lookups are
    /// answered one by one, as its `dlsym` is ours.
    image: Result<(Object<'static>, Redirected), Denied>,
    is_redirected: AtomicBool,
}

impl Loaded {
    /// Learns the real address of every hooked entry of `library`.
    pub(super) fn of(handle: *mut c_void, library: &Library) -> Self {
        let object = loader::object_of(handle);
        let image = object.and_then(|object| {
            let symbols = object.symbols()?;
            let places = library.hooked.iter().map(|entry| symbols.find(entry.name(), entry.hash)).collect();
            Some((object, symbols, places))
        });
        learn(library, handle, image.as_ref().map(|(_, symbols, places)| (symbols, places)));
        let image = image.ok_or(Denied::Layout).and_then(|(object, symbols, places)| {
            Ok((object, Redirected::to_hooks(object, symbols, library, &places)?))
        });
        Self { handle, image, is_redirected: AtomicBool::new(false) }
    }

    pub(super) fn handle(&self) -> *mut c_void {
        self.handle
    }

    /// Whether `address` lies in the library.
    pub(super) fn holds(&self, address: usize) -> bool {
        self.image.as_ref().is_ok_and(|(object, _)| object.contains(address))
    }

    /// Whether the library's own symbol table leads to the hooks.
    pub(super) fn is_redirected(&self) -> bool {
        self.is_redirected.load(Acquire)
    }

    /// Has every lookup of a hooked name in this library, whoever makes it, lead to the hook.
    pub(super) fn redirect(&self, library: &Library) {
        let done = self.image.as_ref().map_err(|denied| *denied).and_then(|(object, table)| {
            table.put_in_place(object)?;
            rebind(library, object, table)
        });
        match done {
            Ok(()) => self.is_redirected.store(true, Release),
            Err(denied) => {
                // Then what the application looks up has to pass by our exports.
                exports::show();
                gaps::note(&Gap::SymbolTable(library.soname, denied));
            }
        }
    }

    /// Makes `object`, another copy of the library, lead to this one: a program that uses both would otherwise have half
    /// of its calls in the one and half in the other.
    pub(super) fn adopt(&self, library: &Library, object: Object<'static>) {
        let Ok((own, table)) = &self.image else { return };
        if own.base() == object.base() {
            return;
        }
        let Some(symbols) = object.symbols().filter(|symbols| object.contains(symbols.table() as usize))
        else {
            return;
        };
        if !table.is_of_the_same_build(&symbols) {
            gaps::note(&Gap::AnotherBuild(object.path()));
            return;
        }
        let adopted = Redirected::to_copy(object, symbols, table).and_then(|table| {
            table.put_in_place(&object)?;
            rebind(library, &object, &table)
        });
        if let Err(denied) = adopted {
            gaps::note(&Gap::SymbolTable(library.soname, denied));
        }
    }
}

/// Of each hooked entry, in their order, which of the library's own symbols it is.
pub(super) type Places = Box<[Option<u32>]>;

/// Has `library` know the real address of each of its hooked entries.
fn learn(library: &Library, handle: *mut c_void, image: Option<(&Symbols, &Places)>) {
    let mut has_asked = false;
    for (place, (entry, hook)) in library.hooks().enumerate() {
        let address = match image.map(|(symbols, places)| (symbols, places.get(place).copied().flatten())) {
            Some((_, None)) => continue,
            Some((symbols, Some(index))) => symbols.function(index).map(|address| address as *mut c_void),
            None => None,
        };
        let address = address.unwrap_or_else(|| {
            has_asked = true;
            loader::dlsym(handle, entry.name())
        });
        // Another thread may have put the hooks into this very table, having learned the addresses before.
        if !address.is_null() && address.cast_const() != hook.0 {
            library.learn(place, address);
        }
    }
    if has_asked {
        loader::forget_error();
    }
}

/// Objects that were bound to `target` before, past our exports, are bound as its new table says: those that were opened
/// with `RTLD_DEEPBIND` and need it.
fn rebind(library: &Library, target: &Object<'_>, table: &Redirected) -> Result<(), Denied> {
    let mut result = Ok(());
    find_object(|object| {
        if object.base() != target.base() && object.needs(library.prefix) {
            object.each_bound(target, |bound, address| {
                let instead = table.instead_of(bound.name, address);
                let done = instead.map_or(Ok(()), |instead| object.bind(&bound, instead));
                result = result.and(done);
            });
        }
        ControlFlow::<()>::Continue(())
    });
    result
}
