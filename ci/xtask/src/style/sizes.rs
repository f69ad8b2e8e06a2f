//! Files that have grown past what a reader holds in the head.

use super::Document;
use std::path::Path;

/// Lines a source file may have.
const LINES_MAX: usize = 300;

/// Longer files, each with the reason why it is better whole.
const LONGER: &[(&str, &str)] =
    &[("cuda-sys/src/driver_table.rs", "one row an entry point: a table is read by searching it")];

/// One line for each source file that is too long, and for each exception that is none any more.
pub(super) fn check(documents: &[Document]) -> Vec<String> {
    let long = |document: &&Document| is_source(&document.path) && document.text.lines().count() > LINES_MAX;
    let excused = |path: &Path| LONGER.iter().any(|(name, _)| Path::new(name) == path);
    let mut wrong: Vec<String> = documents
        .iter()
        .filter(long)
        .filter(|document| !excused(&document.path))
        .map(|document| {
            let lines = document.text.lines().count();
            format!("{}: {lines} lines, {LINES_MAX} are enough for one idea", document.path.display())
        })
        .collect();
    let is_long = |name: &str| documents.iter().filter(long).any(|document| document.path == Path::new(name));
    let stale = LONGER.iter().filter(|(name, _)| !is_long(name));
    wrong.extend(
        stale.map(|(name, reason)| format!("{name}: not long any more, drop its exception ({reason})")),
    );
    wrong
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["rs", "py", "sh", "c"].iter().any(|known| extension == *known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_for_a_file_that_is_not_long_is_reported() {
        assert_eq!(check(&[]).len(), LONGER.len());
    }

    #[test]
    fn only_source_files_past_the_limit_are_reported() {
        let text = "x\n".repeat(LINES_MAX + 1);
        let documents = ["a.rs", "a.md"].map(|path| Document { path: path.into(), text: text.clone() });
        let wrong: Vec<_> = check(&documents).into_iter().filter(|line| line.contains("enough")).collect();
        assert_eq!(wrong.len(), 1);
        assert!(wrong[0].starts_with("a.rs: 301 lines"));
    }
}
