//! The product on the cluster that is up. How it comes there is known to what its tests work with, which depends on this.

use crate::folder::Folder;
use crate::test::inside;
use anyhow::Result;

const PROGRAM: [&str; 5] = ["run", "--quiet", "--package", "kube-harness", "--"];

/// Installs what is on the stage. Arguments are for the program that does it.
///
/// # Errors
/// No cluster is up, or something does not come up.
pub fn install(folder: &Folder, arguments: &[String]) -> Result<()> {
    inside(folder, &PROGRAM, arguments)
}
