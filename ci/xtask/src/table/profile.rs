//! Answers and exports of driver branches, recorded or derived: `sim/driver/profiles/<branch>.tsv`, `sim/nvml/profiles/<branch>.txt`.

use super::vendor::Lookup;
use anyhow::{Context, Result, bail};
use cuda_sys::{Row, Stream};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The branches, oldest first.
const BRANCHES: [u32; 7] = [470, 535, 550, 555, 570, 580, 615];

/// A name and a version: who answers.
type Answers = BTreeMap<(String, u32), String>;

/// One driver branch.
#[derive(Debug, Default)]
pub(super) struct Profile {
    branch: u32,
    legacy: Answers,
    per_thread: Answers,
    exports: BTreeSet<String>,
    nvml: BTreeSet<String>,
}

impl Profile {
    pub(super) fn read_all(root: &Path) -> Result<Vec<Self>> {
        BRANCHES.iter().map(|branch| Self::read(root, *branch)).collect()
    }

    fn read(root: &Path, branch: u32) -> Result<Self> {
        let text = |path: String| {
            fs::read_to_string(root.join(&path)).with_context(|| format!("cannot read {path}"))
        };
        let driver = text(format!("sim/driver/profiles/{branch}.tsv"))?;
        let nvml = text(format!("sim/nvml/profiles/{branch}.txt"))?;
        Self::parse(branch, &driver, &nvml).with_context(|| format!("profile {branch}"))
    }

    fn parse(branch: u32, driver: &str, nvml: &str) -> Result<Self> {
        let mut profile = Self { branch, nvml: lines(nvml).map(str::to_owned).collect(), ..Self::default() };
        for line in lines(driver) {
            let columns: Vec<&str> = line.split('\t').collect();
            let [base, legacy, per_thread] = columns[..] else { bail!("not three columns: `{line}`") };
            if (legacy, per_thread) == ("-", "-") {
                profile.exports.insert(base.to_owned());
            }
            add(&mut profile.legacy, base, legacy)?;
            add(&mut profile.per_thread, base, per_thread)?;
        }
        let answered = profile.legacy.values().chain(profile.per_thread.values()).cloned();
        profile.exports.extend(answered.collect::<Vec<_>>());
        Ok(profile)
    }

    /// Every exported name.
    pub(super) fn exports(&self) -> impl Iterator<Item = &str> {
        self.exports.iter().map(String::as_str)
    }

    /// How the driver is led to each of its symbols.
    pub(super) fn lookups(&self) -> BTreeMap<String, Lookup> {
        let symbols: BTreeSet<&String> = self.legacy.values().chain(self.per_thread.values()).collect();
        let of = |symbol: &String| {
            let find = |answers: &Answers| {
                answers
                    .iter()
                    .find(|(_, answer)| *answer == symbol)
                    .map(|((query, since), _)| (query.clone(), *since))
            };
            let (stream, (query, since)) = match (find(&self.legacy), find(&self.per_thread)) {
                (Some(lookup), Some(_)) => (Stream::Any, lookup),
                (Some(lookup), None) => (Stream::Legacy, lookup),
                (None, lookup) => (Stream::Ptds, lookup?),
            };
            Some((symbol.clone(), Lookup { query, since, stream }))
        };
        symbols.into_iter().filter_map(of).collect()
    }

    /// Driver rows of symbols this branch exports that it does not answer as the row says.
    pub(super) fn wrong_driver_rows(&self, rows: &[Row]) -> Vec<String> {
        let mut wrong = Vec::new();
        for row in rows.iter().filter(|row| self.exports.contains(row.symbol)) {
            let key = (row.query.to_owned(), row.since);
            let (legacy, per_thread) = (self.legacy.get(&key), self.per_thread.get(&key));
            let is_row = |answer: Option<&String>| answer.is_some_and(|answer| answer == row.symbol);
            let expected = match row.stream {
                Stream::Any => is_row(legacy) && is_row(per_thread),
                Stream::Legacy => is_row(legacy) && !is_row(per_thread),
                Stream::Ptds => !is_row(legacy) && is_row(per_thread),
            };
            if !expected {
                let show = |answer: Option<&String>| {
                    answer.map_or_else(|| "nothing".to_owned(), |name| format!("`{name}`"))
                };
                wrong.push(format!(
                    "{}: driver {} answers \"{}\" at {} with {}, and per thread with {}",
                    row.symbol,
                    self.branch,
                    row.query,
                    row.since,
                    show(legacy),
                    show(per_thread)
                ));
            }
        }
        wrong
    }

    /// NVML rows whose `since` this branch contradicts.
    pub(super) fn wrong_nvml_rows(&self, rows: &[Row]) -> Vec<String> {
        let wrong = rows.iter().filter(|row| (row.since <= self.branch) != self.nvml.contains(row.symbol));
        let does = |row: &Row| if self.nvml.contains(row.symbol) { "exports" } else { "does not export" };
        wrong
            .map(|row| {
                format!("{}: row says since {}, but {} {} it", row.symbol, row.since, self.branch, does(row))
            })
            .collect()
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
}

/// Adds `since:symbol since:symbol ...`, or nothing for `-`.
fn add(answers: &mut Answers, base: &str, list: &str) -> Result<()> {
    for answer in list.split(' ').filter(|answer| *answer != "-") {
        let (since, symbol) =
            answer.split_once(':').with_context(|| format!("`{answer}` is not `since:symbol`"))?;
        let since = since.parse().with_context(|| format!("`{since}` is not a version"))?;
        answers.insert((base.to_owned(), since), symbol.to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_sys::Class;

    fn profile() -> Profile {
        let driver = "# comment\nf\t2000:f 3020:f_v2\t7000:f_v2_ptds\ng\t2000:g\t2000:g\nhidden\t-\t-\n";
        Profile::parse(535, driver, "nvmlOld\n").unwrap()
    }

    fn row(stream: Stream, since: u32, query: &'static str, symbol: &'static str) -> Row {
        Row { class: Class::Plain, stream, since, query, symbol, signature: "" }
    }

    #[test]
    fn rows_as_recorded_pass() {
        let rows = [
            row(Stream::Legacy, 3020, "f", "f_v2"),
            row(Stream::Ptds, 7000, "f", "f_v2_ptds"),
            row(Stream::Any, 2000, "g", "g"),
            row(Stream::Any, 13_000, "new", "new"),
        ];
        assert_eq!(profile().wrong_driver_rows(&rows), Vec::<String>::new());
    }

    #[test]
    fn a_wrong_stream_version_or_query_is_reported() {
        for wrong in [
            row(Stream::Any, 3020, "f", "f_v2"),
            row(Stream::Legacy, 3021, "f", "f_v2"),
            row(Stream::Legacy, 3020, "g", "f_v2"),
            row(Stream::Legacy, 2000, "g", "g"),
            row(Stream::Any, 2000, "hidden", "hidden"),
        ] {
            assert_eq!(profile().wrong_driver_rows(&[wrong]).len(), 1, "{wrong:?}");
        }
    }

    #[test]
    fn a_lookup_is_read_back() {
        let lookups = profile().lookups();
        assert_eq!(lookups["f_v2_ptds"], Lookup { query: "f".into(), since: 7000, stream: Stream::Ptds });
        assert_eq!(lookups["g"].stream, Stream::Any);
        assert!(!lookups.contains_key("hidden"));
    }

    #[test]
    fn an_nvml_row_is_exported_from_its_branch_on() {
        let rows = [row(Stream::Any, 0, "", "nvmlOld"), row(Stream::Any, 550, "", "nvmlNew")];
        assert!(profile().wrong_nvml_rows(&rows).is_empty());
        let rows = [row(Stream::Any, 550, "", "nvmlOld"), row(Stream::Any, 535, "", "nvmlNew")];
        assert_eq!(profile().wrong_nvml_rows(&rows).len(), 2);
    }

    #[test]
    fn a_line_that_does_not_parse_is_named() {
        for bad in ["f\t2000:f", "f\t2000\t-", "f\tx:f\t-"] {
            let error = Profile::parse(535, bad, "").unwrap_err();
            assert!(format!("{error:#}").contains('`'), "{error:#}");
        }
    }
}
