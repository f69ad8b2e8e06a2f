//! Links from one document of this repository to another.

use super::Document;
use std::path::Path;

/// One line for each relative link in a Markdown `document` whose file does not exist.
pub(super) fn check(document: &Document, root: &Path) -> Vec<String> {
    if document.path.extension().is_none_or(|extension| extension != "md") {
        return Vec::new();
    }
    let folder = root.join(&document.path).parent().map(Path::to_path_buf).unwrap_or_default();
    let missing = targets(&document.text).filter(|target| !folder.join(target).exists());
    missing
        .map(|target| format!("{}: links to {target}, which is not there", document.path.display()))
        .collect()
}

/// The files that `[text](target)` links name, without fragments, and without what lies outside the repository.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let files = ends.filter_map(|(target, _)| target.split('#').next());
    files.filter(|file| !file.is_empty() && !file.contains(':') && !file.contains(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_to_files_of_the_repository_count() {
        let text = "[a](b.md) [c](d.md#e) [f](#g) [h](https://example.com/i)";
        assert_eq!(targets(text).collect::<Vec<_>>(), ["b.md", "d.md"]);
    }

    #[test]
    fn a_link_to_nowhere_is_reported() {
        let document = Document { path: "docs/a.md".into(), text: "[x](no-such-file.md)".to_owned() };
        assert_eq!(check(&document, Path::new("/")).len(), 1);
    }
}
