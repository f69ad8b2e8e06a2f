//! Profiles of driver branches whose libraries could not be had: what the headers of their time add to the newest branch
//! that is recorded.
//!
//! Two observations make that a rule and not a guess. Every branch recorded so far has kept all that the one before it
//! exported and answered; and what it added are the functions of its time's headers, at the versions that the headers name.
//! One branch is recorded only to hold the rule against it: its profile, derived, has to be its profile as recorded.

use super::headers::{CUDA_12_5, CUDA_12_8, CUDA_13_0, CUDA_13_4, Headers, Wheels};
use super::vendor::{self, Lookup, Release};
use anyhow::{Context, Result};
use cuda_sys::Stream;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A branch that is derived.
struct Branch {
    /// Full version of a driver of the branch.
    driver: &'static str,
    /// What its `cuDriverGetVersion` gives.
    api_version: u32,
    /// The headers of its time.
    headers: Wheels,
    /// The branch that it adds to.
    base: &'static Base,
}

/// A recorded branch.
struct Base {
    name: &'static str,
    api_version: u32,
}

static BASE_550: Base = Base { name: "550", api_version: 12_040 };
static BASE_555: Base = Base { name: "555", api_version: 12_050 };

/// The branches derived. The pairs of driver and CUDA are what nvidia-smi of those drivers prints.
const DERIVED: [Branch; 3] = [
    Branch { driver: "570.172.08", api_version: 12_080, headers: CUDA_12_8, base: &BASE_555 },
    Branch { driver: "580.65.06", api_version: 13_000, headers: CUDA_13_0, base: &BASE_555 },
    Branch { driver: "615.71.09", api_version: 13_040, headers: CUDA_13_4, base: &BASE_555 },
];
/// The recorded branch that the rule has to produce.
const PROOF: Branch =
    Branch { driver: "555.58.02", api_version: 12_050, headers: CUDA_12_5, base: &BASE_550 };

/// The two files of a branch.
struct Profile {
    driver: String,
    nvml: String,
}

/// What the rule gets wrong, and the derived profiles that are not what it gives.
pub(super) fn wrong(root: &Path, scratch: &Path) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let proof = PROOF.derive(root, scratch)?;
    let recorded = PROOF.read(root)?;
    if without_comments(&proof.driver) != without_comments(&recorded.driver)
        || without_comments(&proof.nvml) != without_comments(&recorded.nvml)
    {
        wrong.push(format!("the rule does not give driver {} as recorded", PROOF.driver));
    }
    for branch in DERIVED {
        let (derived, kept) = (branch.derive(root, scratch)?, branch.read(root)?);
        if derived.driver != kept.driver || derived.nvml != kept.nvml {
            wrong.push(format!(
                "driver {} is not what its headers say; run `cargo xtask table --derive`",
                branch.driver
            ));
        }
    }
    Ok(wrong)
}

/// Writes the derived profiles.
pub(super) fn write(root: &Path, scratch: &Path) -> Result<()> {
    for branch in DERIVED {
        let profile = branch.derive(root, scratch)?;
        let put = |path: String, text: &str| {
            fs::write(root.join(&path), text).with_context(|| format!("cannot write {path}"))
        };
        put(driver_path(branch.name()), &profile.driver)?;
        put(nvml_path(branch.name()), &profile.nvml)?;
        println!("derived: driver {} of CUDA {}", branch.driver, branch.cuda());
    }
    Ok(())
}

impl Branch {
    /// Such as `570`.
    fn name(&self) -> &'static str {
        self.driver.split_once('.').map_or(self.driver, |(branch, _)| branch)
    }

    /// Such as `12.8`.
    fn cuda(&self) -> String {
        format!("{}.{}", self.api_version / 1000, self.api_version % 1000 / 10)
    }

    fn read(&self, root: &Path) -> Result<Profile> {
        read(root, self.name())
    }

    fn derive(&self, root: &Path, scratch: &Path) -> Result<Profile> {
        let base = read(root, self.base.name)?;
        let release = Release::read(&Headers::ready(self.headers)?, scratch)?;
        let is_new =
            |lookup: &Lookup| lookup.since > self.base.api_version && lookup.since <= self.api_version;
        let lookups = vendor::lookups(std::slice::from_ref(&release));
        let added = lookups.into_iter().filter(|(_, lookup)| is_new(lookup)).collect();
        let origin = format!(
            "# Derived by `cargo xtask table --derive` from driver {} and the headers of CUDA {}: not recorded.",
            self.base.name,
            self.cuda()
        );
        let head = format!(
            "# What cuGetProcAddress of driver {} answers, and what that libcuda.so.1 exports besides.\n\
             {origin}\n#\n# api_version {}\n",
            self.driver, self.api_version
        );
        let declared = release.nvml.functions.iter().map(|function| function.name.as_str());
        let names: BTreeSet<&str> = without_comments(&base.nvml).into_iter().chain(declared).collect();
        let names: Vec<&str> = names.into_iter().collect();
        Ok(Profile {
            driver: head + &answers(&base.driver, &added)?,
            nvml: format!(
                "# Exported names of libnvidia-ml.so.1, driver {}.\n{origin}\n{}\n",
                self.driver,
                names.join("\n")
            ),
        })
    }
}

fn driver_path(branch: &str) -> String {
    format!("sim/driver/profiles/{branch}.tsv")
}

fn nvml_path(branch: &str) -> String {
    format!("sim/nvml/profiles/{branch}.txt")
}

fn read(root: &Path, branch: &str) -> Result<Profile> {
    let text =
        |path: String| fs::read_to_string(root.join(&path)).with_context(|| format!("cannot read {path}"));
    Ok(Profile { driver: text(driver_path(branch))?, nvml: text(nvml_path(branch))? })
}

fn without_comments(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// The driver profile `base` from the explanation of its columns on, with answers added.
fn answers(base: &str, added: &BTreeMap<String, Lookup>) -> Result<String> {
    let columns = base.find("#\n# base<TAB>").context("a profile explains its columns")?;
    let table = base.find("\ncu").context("a profile has answers")? + 1;
    let end = base.find("\n\n# Exported functions").context("a profile lists what has no answer")?;
    let mut bases: BTreeMap<&str, [Vec<String>; 2]> = BTreeMap::new();
    for line in base[table..end].lines() {
        let mut columns = line.split('\t');
        let name = columns.next().unwrap_or_default();
        let mut list = || columns.next().into_iter().flat_map(|list| list.split(' ')).map(str::to_owned);
        bases.insert(name, [list().collect(), list().collect()]);
    }
    let mut added: Vec<_> = added.iter().collect();
    added.sort_by_key(|(_, lookup)| lookup.since);
    for (symbol, lookup) in added {
        let [legacy, per_thread] = bases.entry(&lookup.query).or_default();
        let answer = format!("{}:{symbol}", lookup.since);
        if lookup.stream != Stream::Ptds {
            legacy.push(answer.clone());
        }
        if lookup.stream != Stream::Legacy {
            per_thread.push(answer);
        }
    }
    let lines = bases.into_iter().map(|(name, [legacy, per_thread])| {
        format!("{name}\t{}\t{}", legacy.join(" "), per_thread.join(" "))
    });
    let lines: Vec<String> = lines.collect();
    Ok(format!("{}{}{}", &base[columns..table], lines.join("\n"), &base[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "# head\n#\n# base<TAB>columns\ncuA\t2000:cuA\t2000:cuA\ncuC\t2000:cuC\t7000:cuC_ptsz\n\n\
                        # Exported functions\ncudbgMain\t-\t-\n";

    fn lookup(query: &str, since: u32, stream: Stream) -> Lookup {
        Lookup { query: query.into(), since, stream }
    }

    #[test]
    fn new_answers_come_behind_those_of_the_base_and_new_names_between_its_names() {
        let added = BTreeMap::from([
            ("cuA_v2".to_owned(), lookup("cuA", 12_080, Stream::Any)),
            ("cuB".to_owned(), lookup("cuB", 12_060, Stream::Legacy)),
            ("cuB_ptsz".to_owned(), lookup("cuB", 12_060, Stream::Ptds)),
        ]);
        let expected = "#\n# base<TAB>columns\n\
                        cuA\t2000:cuA 12080:cuA_v2\t2000:cuA 12080:cuA_v2\n\
                        cuB\t12060:cuB\t12060:cuB_ptsz\n\
                        cuC\t2000:cuC\t7000:cuC_ptsz\n\n\
                        # Exported functions\ncudbgMain\t-\t-\n";
        assert_eq!(answers(BASE, &added).unwrap(), expected);
    }

    #[test]
    fn nothing_added_is_the_base() {
        assert!(BASE.ends_with(&answers(BASE, &BTreeMap::new()).unwrap()));
    }

    #[test]
    fn a_branch_is_named_by_its_driver_and_its_cuda_by_its_version() {
        assert_eq!((PROOF.name(), PROOF.cuda().as_str()), ("555", "12.5"));
    }
}
