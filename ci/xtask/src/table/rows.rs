//! Each row against the headers.

use super::vendor::{Lookup, Release, find, same_type};
use cuda_sys::{Row, Stream};
use std::collections::BTreeMap;

/// Rows of functions that no header declares, and how their signature is known.
const UNDECLARED: &[(&str, &str)] = &[(
    "nvmlInternalGetExportTable",
    "seen in use by nvidia-smi: the counterpart of cuGetExportTable, arguments in the same order",
)];

/// Driver rows: the lookup that leads to the symbol.
pub(super) fn wrong_lookups(rows: &[Row], lookups: &BTreeMap<String, Lookup>) -> Vec<String> {
    let mut wrong = Vec::new();
    for row in rows {
        let Some(lookup) = lookups.get(row.symbol) else {
            wrong.push(format!(
                "{}: neither a header nor a recorded driver says how to look it up",
                row.symbol
            ));
            continue;
        };
        let ours = Lookup { query: row.query.to_owned(), since: row.since, stream: row.stream };
        if ours != *lookup {
            wrong.push(format!("{}: expected {}, found {}", row.symbol, show(lookup), show(&ours)));
        }
    }
    wrong
}

fn show(lookup: &Lookup) -> String {
    let stream = match lookup.stream {
        Stream::Any => "any",
        Stream::Legacy => "legacy",
        Stream::Ptds => "ptds",
    };
    format!("`{stream} {} \"{}\"`", lookup.since, lookup.query)
}

/// Rows of either table: types and number of the parameters, in every release that declares the symbol.
pub(super) fn wrong_signatures(rows: &[Row], releases: &[Release]) -> Vec<String> {
    let mut wrong = Vec::new();
    for row in rows {
        let ours = types(row.signature);
        let mut declared = UNDECLARED.iter().any(|(symbol, _)| *symbol == row.symbol);
        for release in releases {
            let tables = [&release.driver, &release.nvml];
            let Some((table, function)) =
                tables.iter().find_map(|table| Some((table, find(table, row.symbol)?)))
            else {
                continue;
            };
            declared = true;
            let same = ours.len() == function.parameters.len()
                && ours.iter().zip(&function.parameters).all(|(a, b)| same_type(a, b, &table.aliases));
            if !same {
                wrong.push(format!(
                    "{}: expected ({}) as headers {} say, found ({})",
                    row.symbol,
                    function.parameters.join(", "),
                    release.version,
                    ours.join(", ")
                ));
            }
        }
        if !declared {
            wrong.push(format!("{}: no header declares it", row.symbol));
        }
    }
    wrong
}

/// The types of a row's parameter list, which the compiler spaces as it likes.
fn types(signature: &str) -> Vec<String> {
    let parameters = signature.split(',').filter_map(|parameter| parameter.split_once(':'));
    let spaced = parameters.map(|(_, written)| written.split_whitespace().collect::<Vec<_>>().join(" "));
    spaced.map(|written| written.replace("* ", "*")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::c::Declarations;
    use super::*;
    use cuda_sys::Class;

    const ROW: Row = Row {
        class: Class::Plain,
        stream: Stream::Any,
        since: 3020,
        query: "f",
        symbol: "f_v2",
        signature: "out: * mut thing, size :\nusize",
    };

    fn release(source: &str) -> [Release; 1] {
        let driver = Declarations::parse(source, "r").unwrap();
        [Release { version: "0", driver, nvml: Declarations::default() }]
    }

    #[test]
    fn a_right_row_passes() {
        let lookup = Lookup { query: "f".into(), since: 3020, stream: Stream::Any };
        assert!(wrong_lookups(&[ROW], &BTreeMap::from([("f_v2".into(), lookup)])).is_empty());
        assert!(wrong_signatures(&[ROW], &release("r f_v2(thing *a, size_t b);")).is_empty());
        assert!(
            wrong_signatures(&[ROW], &release("typedef thing same; r f_v2(same *a, size_t b);")).is_empty()
        );
    }

    #[test]
    fn a_wrong_number_names_row_expectation_and_finding() {
        let lookup = Lookup { query: "f".into(), since: 4000, stream: Stream::Legacy };
        let wrong = wrong_lookups(&[ROW], &BTreeMap::from([("f_v2".into(), lookup)]));
        assert_eq!(wrong, [r#"f_v2: expected `legacy 4000 "f"`, found `any 3020 "f"`"#]);
    }

    #[test]
    fn a_wrong_signature_names_row_expectation_and_finding() {
        let wrong = wrong_signatures(&[ROW], &release("r f_v2(thing *a, unsigned int b);"));
        let message = "f_v2: expected (*mut thing, c_uint) as headers 0 say, found (*mut thing, usize)";
        assert_eq!(wrong, [message]);
        assert_eq!(wrong_signatures(&[ROW], &release("r f_v2(thing *a);")).len(), 1);
    }

    #[test]
    fn a_symbol_nobody_declares_is_reported() {
        assert_eq!(wrong_lookups(&[ROW], &BTreeMap::new()).len(), 1);
        assert_eq!(wrong_signatures(&[ROW], &release("")), ["f_v2: no header declares it"]);
    }
}
