//! The table of entry points against the vendor's headers and the recorded drivers.
//!
//! A row is wrong in silence: a symbol hooked with another version's signature corrupts its caller. So everything a
//! row says is derived a second time here, from sources the row was not copied from at run time.

mod c;
mod coverage;
mod derive;
mod facts;
mod headers;
mod profile;
mod rows;
mod vendor;

use crate::workspace::Workspace;
use anyhow::{Result, bail};
use cuda_sys::{DRIVER, NVML};
use headers::{Headers, NEWEST, OLDER};
use profile::Profile;
use vendor::Release;

/// Compares both tables and the derived profiles, or writes those; fetches the headers first when they are not cached.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let scratch = workspace.target().join("table");
    if !arguments.is_empty() {
        return derive::write(workspace.root(), &scratch);
    }
    let (older, newest) = (Headers::ready(OLDER)?, Headers::ready(NEWEST)?);
    let releases = [Release::read(&older, &scratch)?, Release::read(&newest, &scratch)?];
    let [_, current] = &releases;
    let profiles = Profile::read_all(workspace.root())?;

    // The headers have no version numbers for a few families (green contexts, graphics): the drivers do.
    let mut lookups = vendor::lookups(&releases);
    for (symbol, lookup) in profiles.iter().flat_map(Profile::lookups) {
        lookups.entry(symbol).or_insert(lookup);
    }
    let mut wrong = rows::wrong_lookups(DRIVER, &lookups);
    wrong.extend(rows::wrong_signatures(&[DRIVER, NVML].concat(), &releases));
    for profile in &profiles {
        wrong.extend(profile.wrong_driver_rows(DRIVER));
        wrong.extend(profile.wrong_nvml_rows(NVML));
    }
    wrong.extend(coverage::gaps(DRIVER, current, &profiles, workspace.root())?);
    wrong.extend(facts::wrong(&newest, &scratch)?);
    wrong.extend(derive::wrong(workspace.root(), &scratch)?);
    if !wrong.is_empty() {
        bail!("the table of cuda-sys:\n  {}", wrong.join("\n  "));
    }
    println!(
        "table: {} driver and {} NVML rows agree with headers {} and {}, and with every driver branch",
        DRIVER.len(),
        NVML.len(),
        older.version,
        newest.version
    );
    Ok(())
}
