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
    /// The loader would have to write to code.
    pub(crate) text_relocations: bool,
    /// `dlclose` never unmaps it.
    pub(crate) never_unmapped: bool,
    /// What runs when it is loaded, by name where the symbol table knows it.
    pub(crate) constructors: Vec<String>,
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
            if let ImportFlags::Elf { version: Some(version), .. } = import.flags() {
                facts.versions.insert(text(version), text(import.name().name().unwrap_or_default()));
            }
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

/// The functions of `.init_array`: the addends of the relocations that fill it.
fn constructors(file: &ElfFile64<'_, Endianness>) -> Vec<String> {
    let Some(array) = file.section_by_name(".init_array") else { return Vec::new() };
    let slots = array.address()..array.address() + array.size();
    let relocations = file.dynamic_relocations().into_iter().flatten();
    let functions = relocations.filter(|(offset, _)| slots.contains(offset)).map(|(_, r)| r.addend());
    functions.map(|address| name_of(file, address.cast_unsigned())).collect()
}

fn name_of(file: &ElfFile64<'_, Endianness>, address: u64) -> String {
    let symbol = file.symbols().find(|symbol| symbol.is_definition() && symbol.address() == address);
    symbol.and_then(|symbol| symbol.name().ok()).map_or_else(|| format!("{address:#x}"), str::to_owned)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
