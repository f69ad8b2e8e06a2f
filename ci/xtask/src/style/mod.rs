//! What no compiler checks: sizes of files, names that belong to one machine, links between documents, variables of the
//! environment.

mod leaks;
mod links;
mod sizes;
mod variables;

use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// A tracked text file.
struct Document {
    /// Relative to the top of the checkout.
    path: PathBuf,
    text: String,
}

/// Checks every tracked text file and reports all that is wrong.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    let documents = documents(workspace)?;
    let mut wrong = sizes::check(&documents);
    wrong.extend(variables::check(&documents));
    wrong.extend(documents.iter().flat_map(|document| leaks::check(document, workspace.root())));
    wrong.extend(documents.iter().flat_map(|document| links::check(document, workspace.root())));
    if !wrong.is_empty() {
        bail!("{} wrong:\n  {}", wrong.len(), wrong.join("\n  "));
    }
    println!("style: {} files as they should be", documents.len());
    Ok(())
}

/// Reads them; what is not UTF-8 is data, not text.
fn documents(workspace: &Workspace) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    for path in workspace.files()? {
        let bytes = std::fs::read(workspace.root().join(&path));
        let bytes = bytes.with_context(|| format!("cannot read {}", path.display()))?;
        documents.extend(String::from_utf8(bytes).ok().map(|text| Document { path, text }));
    }
    Ok(documents)
}
