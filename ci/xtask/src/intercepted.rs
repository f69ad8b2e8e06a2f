//! `docs/intercepted.md`: what the preload library intercepts, from the table.

use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use cuda_sys::{Class, DRIVER, NVML, Row};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

const DOCUMENT: &str = "docs/intercepted.md";
const HOOKS: &str = "libvgpu/src/hooks";

const INTRODUCTION: &str = "\
# What is intercepted

Generated from the table of entry points by `cargo xtask intercepted --write`; CI fails when it is out of date.

An intercepted entry point is one that `libvgpu.so` stands in front of. All others, also those that are not listed
here, reach the driver untouched.
";

/// The class that is not intercepted although it matters, and what that means for a limit.
const NOT_YET: (Class, &str) = (Class::Uncounted, "Takes device memory that no limit counts yet");

/// Fails when the document is not what the table says; with `--write`, writes it.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let path = workspace.root().join(DOCUMENT);
    let current = render(&workspace.root().join(HOOKS))?;
    if arguments == ["--write"] {
        return fs::write(&path, current).with_context(|| format!("cannot write {DOCUMENT}"));
    }
    if fs::read_to_string(&path).ok().as_deref() != Some(current.as_str()) {
        bail!("{DOCUMENT} is not what the table says; run `cargo xtask intercepted --write`");
    }
    println!("intercepted: {DOCUMENT} is what the table says");
    Ok(())
}

fn render(hooks: &Path) -> Result<String> {
    let mut text = INTRODUCTION.to_owned();
    let modules: BTreeSet<&str> = rows().filter_map(|row| module(row.class)).collect();
    for name in modules {
        let file = source(hooks, name);
        let title = format!("`hooks/{file}`\n\n{}.", summary(&hooks.join(&file))?);
        section(&mut text, &title, Class::Hooked(name));
    }
    let (class, title) = NOT_YET;
    section(&mut text, title, class);
    Ok(text)
}

fn rows() -> impl Iterator<Item = &'static Row> {
    DRIVER.iter().chain(NVML)
}

const fn module(class: Class) -> Option<&'static str> {
    match class {
        Class::Hooked(name) => Some(name),
        _ => None,
    }
}

/// The source file of a module below `hooks`: one file, or the first of a folder.
fn source(hooks: &Path, module: &str) -> String {
    let folder = format!("{module}/mod.rs");
    if hooks.join(&folder).exists() { folder } else { format!("{module}.rs") }
}

/// The first sentence of a source file's documentation, without its full stop.
fn summary(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().map_while(|line| line.strip_prefix("//! "));
    let words = lines.collect::<Vec<_>>().join(" ");
    let sentence = words.split(". ").next().unwrap_or_default().trim_end_matches('.');
    if sentence.is_empty() {
        bail!("{} does not say what it is about in its first line", path.display());
    }
    Ok(sentence.to_owned())
}

/// One heading and the entry points of `class`.
fn section(text: &mut String, title: &str, class: Class) {
    let mut entries = rows().filter(|row| row.class == class).peekable();
    if entries.peek().is_none() {
        return;
    }
    let _ =
        writeln!(text, "\n## {title}\n\n| entry point | `cuGetProcAddress` | since |\n| --- | --- | --- |");
    for row in entries {
        let is_driver = row.symbol.starts_with("cu");
        let query = if is_driver { format!("`{}`", row.query) } else { "-".to_owned() };
        let _ = writeln!(text, "| `{}` | {query} | {} |", row.symbol, since(row.since, is_driver));
    }
}

/// `cudaVersion` numbers read as CUDA versions, the others as driver branches.
fn since(number: u32, is_cuda: bool) -> String {
    match (number, is_cuda) {
        (_, true) => format!("CUDA {}.{}", number / 1000, number % 1000 / 10),
        (0, false) => "every supported driver".to_owned(),
        (_, false) => format!("driver {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_as_people_write_them() {
        assert_eq!(since(11030, true), "CUDA 11.3");
        assert_eq!(since(3020, true), "CUDA 3.2");
        assert_eq!(since(0, false), "every supported driver");
    }

    #[test]
    fn every_row_that_is_not_plain_is_listed() {
        let hooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(HOOKS);
        let text = render(&hooks).unwrap();
        for row in rows().filter(|row| row.class != Class::Plain) {
            assert!(text.contains(&format!("| `{}` |", row.symbol)), "{}", row.symbol);
        }
    }
}
