//! The results for people and for programs.

mod markdown;
mod plot;
pub(crate) mod table;

use crate::document::Document;
use anyhow::{Context, Result};
use std::path::Path;

/// Makes the directory of a run: before minutes of measuring that could not be written there.
///
/// # Errors
/// It cannot be made.
pub(crate) fn prepare(directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory).with_context(|| format!("--out: cannot make {}", directory.display()))
}

/// Writes all files of a run into `directory`, if there is to be one.
///
/// # Errors
/// A file of it cannot be written.
pub(crate) fn write(document: &Document, directory: Option<&Path>) -> Result<()> {
    let Some(directory) = directory else { return Ok(()) };
    let put = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).with_context(|| format!("--out: cannot write {}", path.display()))
    };
    put("report.json", &format!("{}\n", serde_json::to_string_pretty(document)?))?;
    let plots = plot::draw(document, directory).context("--out")?;
    put("report.md", &markdown::page(document, &plots))
}
