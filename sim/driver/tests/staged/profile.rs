//! The recorded data of a branch.

use std::collections::BTreeSet;
use std::fs;

/// What `cuGetProcAddress` answers to one name and one kind of flags.
pub(crate) struct Recorded {
    /// The name.
    pub(crate) base: String,
    /// Whether per-thread default streams are asked for.
    pub(crate) per_thread: bool,
    /// Answers: the lowest version that gets it, and the symbol.
    pub(crate) answers: Vec<(i32, String)>,
}

fn rows(branch: &str) -> Vec<[String; 3]> {
    let path = format!("{}/profiles/{branch}.tsv", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("a profile");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let row = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>().try_into();
    lines.map(|line| row(line).expect("three columns")).collect()
}

fn answers(column: &str) -> Vec<(i32, String)> {
    let words = column.split(' ').filter(|word| *word != "-");
    let answer = |word: &str| {
        let (since, symbol) = word.split_once(':').expect("since:symbol");
        (since.parse().expect("a version"), symbol.to_owned())
    };
    words.map(answer).collect()
}

/// Everything recorded of `cuGetProcAddress`.
pub(crate) fn recorded(branch: &str) -> Vec<Recorded> {
    let mut all = Vec::new();
    for [base, legacy, per_thread] in rows(branch) {
        if legacy == "-" && per_thread == "-" {
            continue;
        }
        all.push(Recorded { base: base.clone(), per_thread: false, answers: answers(&legacy) });
        all.push(Recorded { base, per_thread: true, answers: answers(&per_thread) });
    }
    all
}

/// Every exported name.
pub(crate) fn exported(branch: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for [base, legacy, per_thread] in rows(branch) {
        if legacy == "-" && per_thread == "-" {
            names.insert(base);
        }
        names.extend(answers(&legacy).into_iter().chain(answers(&per_thread)).map(|(_, symbol)| symbol));
    }
    names
}
