//! What a shared object says of itself to the dynamic linker.

use anyhow::{Context, Result};
use object::elf::{DF_1_NODELETE, DF_TEXTREL, DT_FLAGS, DT_FLAGS_1, DT_SONAME, DT_TEXTREL, FileHeader64};
use object::read::elf::{DynamicTable, ElfFile64};
use object::{Endianness, ImportFlags, Object, ObjectSection, ObjectSymbol};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The facts about one shared object.
#[derive(Debug, Default)]
pub(crate) struct SharedObject {
    /// `DT_SONAME`.
    pub(crate) soname: Option<String>,
    /// `DT_NEEDED`, in order.
    pub(crate) needed: Vec<String>,
    /// Names of the defined dynamic symbols.
    pub(crate) exports: BTreeSet<String>,
    /// Symbol versions needed, each with a symbol that needs it: `GLIBC_2.14` with `memcpy`.
    pub(crate) versions: BTreeMap<String, String>,
    /// Symbols that must be found when it is loaded, in whatever version there is.
    pub(crate) unversioned: BTreeSet<String>,
    /// The loader would have to write to code.
    pub(crate) text_relocations: bool,
    /// `dlclose` never unmaps it.
    pub(crate) never_unmapped: bool,
    /// Addresses of the functions that run when it is loaded and do more than return.
    pub(crate) constructors: Vec<u64>,
}

impl SharedObject {
    /// Reads a 64-bit shared object.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let data = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&data).with_context(|| format!("{} is not a readable shared object", path.display()))
    }

    fn parse(data: &[u8]) -> Result<Self> {
        let file = ElfFile64::<Endianness>::parse(data)?;
        let mut facts = Self { constructors: constructors(&file), ..Self::default() };
        for library in file.import_libraries()? {
            facts.needed.push(text(library?.name()));
        }
        for symbol in file.dynamic_symbols().filter(|symbol| symbol.is_definition()) {
            facts.exports.insert(text(symbol.name_bytes()?));
        }
        for import in file.imports()? {
            let import = import?;
            let name = text(import.name().name().unwrap_or_default());
            match import.flags() {
                ImportFlags::Elf { version: Some(version), .. } => {
                    facts.versions.insert(text(version), name);
                }
                _ => {
                    facts.unversioned.insert(name);
                }
            }
        }
        let optional = file.dynamic_symbols().filter(|symbol| symbol.is_undefined() && symbol.is_weak());
        for symbol in optional {
            facts.unversioned.remove(symbol.name()?);
        }
        facts.dynamic(&file.elf_dynamic_table()?)?;
        Ok(facts)
    }

    fn dynamic(&mut self, table: &DynamicTable<'_, FileHeader64<Endianness>>) -> Result<()> {
        for entry in table {
            match entry.tag {
                DT_SONAME => self.soname = Some(text(table.string(entry)?)),
                DT_TEXTREL => self.text_relocations = true,
                DT_FLAGS => self.text_relocations |= entry.val & DF_TEXTREL.0 != 0,
                DT_FLAGS_1 => self.never_unmapped |= entry.val & DF_1_NODELETE.0 != 0,
                _ => {}
            }
        }
        Ok(())
    }
}

/// The functions of `.init_array` that do something: the addends of the relocations that fill it.
fn constructors(file: &ElfFile64<'_, Endianness>) -> Vec<u64> {
    let Some(array) = file.section_by_name(".init_array") else { return Vec::new() };
    let slots = array.address()..array.address() + array.size();
    let relocations = file.dynamic_relocations().into_iter().flatten();
    let functions = relocations.filter(|(offset, _)| slots.contains(offset));
    let addresses = functions.map(|(_, relocation)| relocation.addend().cast_unsigned());
    addresses.filter(|address| !returns_at_once(&code_at(file, *address))).collect()
}

/// The first bytes of the x86-64 function at `address`.
fn code_at(file: &ElfFile64<'_, Endianness>, address: u64) -> Vec<u8> {
    let code = file.sections().find_map(|section| section.data_range(address, 5).ok().flatten());
    code.map(<[u8]>::to_vec).unwrap_or_default()
}

/// `ret`, or `endbr64; ret`.
fn returns_at_once(code: &[u8]) -> bool {
    code.strip_prefix(&[0xf3, 0x0f, 0x1e, 0xfa]).unwrap_or(code).starts_with(&[0xc3])
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_program_is_read() {
        let facts = SharedObject::read(&std::env::current_exe().unwrap()).unwrap();
        assert!(facts.needed.iter().any(|name| name.starts_with("libc.so")), "{facts:?}");
        assert!(facts.versions.keys().any(|version| version.starts_with("GLIBC_2.")), "{facts:?}");
        assert!(!facts.text_relocations);
        // The C runtime's and the standard library's, which keeps the arguments of the program.
        assert!(!facts.constructors.is_empty(), "{facts:?}");
    }

    #[test]
    fn a_function_that_only_returns_is_told_from_one_that_does_not() {
        assert!(returns_at_once(&[0xc3, 0x55]));
        assert!(returns_at_once(&[0xf3, 0x0f, 0x1e, 0xfa, 0xc3]));
        assert!(!returns_at_once(&[0xf3, 0x0f, 0x1e, 0xfa, 0xe9]));
        assert!(!returns_at_once(&[]));
    }
}
