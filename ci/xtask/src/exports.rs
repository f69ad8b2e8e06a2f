//! What the built library exports, needs, and runs when it is loaded.

use crate::elf::SharedObject;
use crate::workspace::Workspace;
use anyhow::{Result, bail};
use cuda_sys::{Class, DRIVER, NVML};
use std::collections::BTreeSet;

/// The exports that are no entry points of the driver: lookups, and what a library calls that has been loaded.
const OTHERS: [&str; 3] = ["dlsym", "dlvsym", "__gmon_start__"];

/// All that may be needed at load, and is loaded anyway: whatever else is costs every program of a container.
const NEEDED: [&str; 2] = ["libc.so", "ld-linux"];

/// Compares the staged library with the table.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    let library = SharedObject::read(&workspace.library())?;
    let broken = broken(&library, &expected());
    if !broken.is_empty() {
        bail!("libvgpu.so:\n  {}", broken.join("\n  "));
    }
    let (exports, needed) = (library.exports.len(), library.needed.join(", "));
    println!("exports: {exports} symbols, as the table says; needs {needed}; nothing runs at load");
    Ok(())
}

/// The hooked rows of both tables, and the others.
fn expected() -> BTreeSet<String> {
    let rows = DRIVER.iter().chain(NVML);
    let hooked = rows.filter(|row| matches!(row.class, Class::Hooked(_))).map(|row| row.symbol);
    hooked.chain(OTHERS).map(str::to_owned).collect()
}

/// Everything that is not as it should be, one line each.
fn broken(library: &SharedObject, expected: &BTreeSet<String>) -> Vec<String> {
    let mut broken = Vec::new();
    let missing = expected.difference(&library.exports);
    broken.extend(missing.map(|name| format!("does not export {name}, which the table says is hooked")));
    let extra = library.exports.difference(expected);
    broken.extend(extra.map(|name| format!("exports {name}, which no hooked row of the table names")));
    let unwanted = library.needed.iter().filter(|name| !NEEDED.iter().any(|known| name.starts_with(known)));
    broken.extend(unwanted.map(|name| format!("needs {name} at load")));
    let constructors = library.constructors.iter();
    broken.extend(
        constructors.map(|address| format!("runs {address:#x} at load, in every process of a container")),
    );
    if library.soname.as_deref() != Some("libvgpu.so") {
        broken.push(format!("its soname is {:?}, not libvgpu.so", library.soname));
    }
    if library.text_relocations {
        broken.push("has text relocations".to_owned());
    }
    if !library.never_unmapped {
        broken.push("may be unmapped by dlclose while applications hold pointers to hooks".to_owned());
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library() -> SharedObject {
        SharedObject {
            soname: Some("libvgpu.so".to_owned()),
            needed: vec!["libc.so.6".to_owned()],
            exports: BTreeSet::from(["cuInit".to_owned(), "dlsym".to_owned()]),
            never_unmapped: true,
            ..SharedObject::default()
        }
    }

    #[test]
    fn a_library_as_the_table_says_passes() {
        let library = library();
        assert_eq!(broken(&library, &library.exports), Vec::<String>::new());
    }

    #[test]
    fn a_missing_and_an_extra_export_are_both_named() {
        let table = BTreeSet::from(["cuMemAlloc_v2".to_owned(), "dlsym".to_owned()]);
        let lines = broken(&library(), &table);
        assert!(lines[0].contains("does not export cuMemAlloc_v2"));
        assert!(lines[1].contains("exports cuInit"));
    }

    #[test]
    fn a_driver_needed_at_load_or_a_constructor_of_ours_is_an_error() {
        let mut library = library();
        library.needed.push("libcuda.so.1".to_owned());
        library.constructors.push(0x1000);
        let lines = broken(&library, &library.exports);
        assert_eq!(lines.len(), 2, "{lines:?}");
    }

    #[test]
    fn a_library_that_few_programs_have_loaded_is_not_to_be_needed() {
        let mut library = library();
        library.needed.push("libpthread.so.0".to_owned());
        let lines = broken(&library, &library.exports);
        assert_eq!(lines, ["needs libpthread.so.0 at load"]);
    }
}
