//! Variables of the environment: each is explained, and each explanation is of one that is read.

use super::Document;
use std::collections::BTreeMap;
use std::path::Path;

/// Where variables are explained: each in the first cell of a row of a table.
const BOOK: &str = "docs/environment.md";

/// How the names of our own variables begin. In two pieces, so that this is not one.
const PREFIX: &str = concat!("VG", "PU_");

/// Its names are the vendor's, in which these letters mean another thing.
const VENDOR: &str = "cuda-sys";

/// One line for each variable that only the sources or only the book has.
pub(super) fn check(documents: &[Document]) -> Vec<String> {
    let read = read(documents);
    let book = documents.iter().find(|document| document.path == Path::new(BOOK));
    let explained: Vec<&str> = book.map(|book| explained(&book.text).collect()).unwrap_or_default();
    let silent = read.iter().filter(|(name, _)| !explained.contains(*name));
    let mut wrong: Vec<String> =
        silent.map(|(name, place)| format!("{}: `{name}` is not in {BOOK}", place.display())).collect();
    let stale = explained.iter().filter(|name| !read.contains_key(*name));
    wrong.extend(stale.map(|name| format!("{BOOK}: `{name}`: no source has it")));
    wrong
}

/// The variables that sources name, each with one of those.
fn read(documents: &[Document]) -> BTreeMap<&str, &Path> {
    let sources = documents.iter().filter(|document| is_ours(&document.path));
    sources.flat_map(|document| names(&document.text).map(|name| (name, document.path.as_path()))).collect()
}

fn is_ours(path: &Path) -> bool {
    path.extension().is_none_or(|extension| extension != "md") && !path.starts_with(VENDOR)
}

fn explained(text: &str) -> impl Iterator<Item = &str> {
    let cells = text.lines().filter_map(|line| line.strip_prefix('|')?.split('|').next());
    cells.flat_map(names)
}

/// The names in a text, without those that are a part of a longer word.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let begins = move |at: usize| !text[..at].ends_with(is_of_name);
    let starts = text.match_indices(PREFIX).map(|(at, _)| at).filter(move |at| begins(*at));
    let words = starts.map(|at| text[at..].split(|c: char| !is_of_name(c)).next().unwrap_or_default());
    words.filter(|word| word.len() > PREFIX.len())
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(source: &str, book: &str) -> [Document; 2] {
        let own = |text: &str| text.replace("OUR_", PREFIX);
        [Document { path: "a.rs".into(), text: own(source) }, Document { path: BOOK.into(), text: own(book) }]
    }

    #[test]
    fn a_variable_that_is_not_explained_is_reported() {
        let wrong = check(&documents("var(\"OUR_X\")", "OUR_X is only mentioned"));
        assert_eq!(wrong.len(), 1);
        assert!(wrong[0].starts_with("a.rs: "), "{wrong:?}");
    }

    #[test]
    fn an_explanation_of_a_variable_that_nothing_reads_is_reported() {
        let wrong = check(&documents("", "| `OUR_X` | path |"));
        assert!(wrong[0].ends_with("no source has it"), "{wrong:?}");
    }

    #[test]
    fn a_part_of_a_longer_name_is_no_variable() {
        assert!(check(&documents("NVML_OUR_X, OUR_Y, OUR_", "| `OUR_Y` | path |")).is_empty());
    }
}
