//! Sizes, offsets and values: a C program prints the header's.

use super::headers::Headers;
use anyhow::{Context, Result};
use cuda_sys::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// An expression of C and its value in the table.
type Fact = (String, usize);

macro_rules! driver_parameters {
    ($($class:ident $stream:ident $since:literal $query:literal $symbol:ident($($arg:ident: $ty:ty),*);)*) => {
        /// Every parameter of every driver row: its type as written and its size.
        const DRIVER_PARAMETERS: &[(&str, usize)] = &[$($((stringify!($ty), size_of::<$ty>()),)*)*];
    };
}
cuda_sys::driver_api!(driver_parameters);

macro_rules! nvml_parameters {
    ($($class:ident $since:literal $symbol:ident($($arg:ident: $ty:ty),*);)*) => {
        /// Every parameter of every NVML row: its type as written and its size.
        const NVML_PARAMETERS: &[(&str, usize)] = &[$($((stringify!($ty), size_of::<$ty>()),)*)*];
    };
}
cuda_sys::nvml_api!(nvml_parameters);

/// Every fact the newest headers contradict.
pub(super) fn wrong(headers: &Headers, scratch: &Path) -> Result<Vec<String>> {
    let mut facts: Vec<Fact> = Vec::new();
    for layout in [DRIVER_LAYOUTS, NVML_LAYOUTS].concat().concat() {
        facts.extend(of_layout(&layout));
    }
    for (name, value) in [DRIVER_CONSTANTS, NVML_CONSTANTS].concat().concat() {
        facts.push((name.to_owned(), usize::try_from(value)?));
    }
    facts.extend(of_parameters());
    let printed =
        headers.run(&program(&facts), scratch).context("a name of the table is not the header's")?;
    compare(&facts, &printed)
}

fn of_layout(layout: &Layout) -> Vec<Fact> {
    let name = layout.name;
    let offset = |&(field, offset): &(&str, usize)| {
        // A keyword of Rust.
        let field = if field == "kind" { "type" } else { field };
        (format!("offsetof({name}, {field})"), offset)
    };
    let size = (format!("sizeof({name})"), layout.size);
    std::iter::once(size).chain(layout.fields.iter().map(offset)).collect()
}

/// The size of each vendor type that is passed by value; a wrong one shifts every later argument.
fn of_parameters() -> BTreeMap<String, usize> {
    let is_vendor = |name: &str| ["CU", "cu", "nvml"].iter().any(|prefix| name.starts_with(prefix));
    let vendor = DRIVER_PARAMETERS.iter().chain(NVML_PARAMETERS).filter(|(name, _)| is_vendor(name));
    vendor.map(|(name, size)| (format!("sizeof({name})"), *size)).collect()
}

fn program(facts: &[Fact]) -> String {
    let mut source =
        String::from("#include <stddef.h>\n#include <stdio.h>\n#include <cuda.h>\n#include <nvml.h>\n");
    source.push_str("int main(void) {\n");
    for (expression, _) in facts {
        let _ = writeln!(source, "    printf(\"{expression}\\t%zu\\n\", (size_t)({expression}));");
    }
    source.push_str("}\n");
    source
}

fn compare(facts: &[Fact], printed: &str) -> Result<Vec<String>> {
    let parse = |line: &str| -> Option<(String, usize)> {
        let (expression, value) = line.split_once('\t')?;
        Some((expression.to_owned(), value.parse().ok()?))
    };
    let header: BTreeMap<String, usize> = printed.lines().filter_map(parse).collect();
    let mut wrong = Vec::new();
    for (expression, value) in facts {
        let expected = header.get(expression).with_context(|| format!("no answer for {expression}"))?;
        if expected != value {
            wrong.push(format!("{expression}: expected {expected}, found {value}"));
        }
    }
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_its_size_and_offsets_in_c() {
        let layout = Layout { name: "thing", size: 8, fields: &[("kind", 0), ("id", 4)] };
        let names: Vec<_> = of_layout(&layout).into_iter().map(|(expression, _)| expression).collect();
        assert_eq!(names, ["sizeof(thing)", "offsetof(thing, type)", "offsetof(thing, id)"]);
    }

    #[test]
    fn a_difference_names_both_values() {
        let facts = [("sizeof(a)".to_owned(), 8), ("B".to_owned(), 1)];
        assert_eq!(compare(&facts, "sizeof(a)\t8\nB\t2\n").unwrap(), ["B: expected 2, found 1"]);
        assert!(compare(&facts, "sizeof(a)\t8\n").is_err());
    }
}
