//! Reads `profiles/<branch>.tsv`: what `cuGetProcAddress` of a branch answers, and what its library exports.

use std::collections::BTreeSet;

/// An answer: the lowest version that gets it, and the symbol.
pub(crate) type Answer = (u32, String);

/// One name to ask for.
pub(crate) struct Base {
    /// The name.
    pub(crate) name: String,
    /// Answers for the legacy default stream.
    pub(crate) legacy: Vec<Answer>,
    /// Answers for per-thread default streams.
    pub(crate) per_thread: Vec<Answer>,
}

/// A branch.
#[derive(Default)]
pub(crate) struct Profile {
    /// What `cuDriverGetVersion` gives, such as 12040.
    pub(crate) api_version: u32,
    /// Names that can be asked for, in ascending order.
    pub(crate) bases: Vec<Base>,
    /// Functions that are exported and cannot be asked for.
    pub(crate) unreachable: Vec<String>,
    /// Variables that are exported.
    pub(crate) variables: Vec<String>,
}

/// The comment that says which version of the API the branch has.
const API_VERSION: &str = "# api_version ";
/// The comment above the variables.
const VARIABLES: &str = "# Exported variables";
/// An export that cannot be asked for has no answers.
const NONE: &str = "-";

impl Profile {
    /// Reads the text form; the head of each file explains it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut profile = Self::default();
        let mut variables = false;
        for line in text.lines() {
            variables |= line.starts_with(VARIABLES);
            if let Some(version) = line.strip_prefix(API_VERSION) {
                profile.api_version =
                    version.parse().map_err(|_| format!("`{version}` is not a version of the API"))?;
            }
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let malformed = || format!("`{line}` is not base<TAB>answers<TAB>answers");
            let mut columns = line.split('\t');
            let (Some(name), Some(legacy), Some(per_thread), None) =
                (columns.next(), columns.next(), columns.next(), columns.next())
            else {
                return Err(malformed());
            };
            if variables {
                profile.variables.push(name.into());
            } else if (legacy, per_thread) == (NONE, NONE) {
                profile.unreachable.push(name.into());
            } else {
                let legacy = answers(legacy).ok_or_else(malformed)?;
                let per_thread = answers(per_thread).ok_or_else(malformed)?;
                profile.bases.push(Base { name: name.into(), legacy, per_thread });
            }
        }
        if profile.api_version == 0 {
            return Err(format!("no line `{API_VERSION}NUMBER`"));
        }
        profile.bases.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(profile)
    }

    /// Every function that is an answer.
    pub(crate) fn answers(&self) -> BTreeSet<&str> {
        let answers = self.bases.iter().flat_map(|base| base.legacy.iter().chain(&base.per_thread));
        answers.map(|(_, symbol)| symbol.as_str()).collect()
    }

    /// Every exported function.
    pub(crate) fn functions(&self) -> Vec<&str> {
        self.answers().into_iter().chain(self.unreachable.iter().map(String::as_str)).collect()
    }
}

/// Answers by ascending version; `-` is none.
fn answers(text: &str) -> Option<Vec<Answer>> {
    if text == NONE {
        return Some(Vec::new());
    }
    let answer = |word: &str| {
        let (since, symbol) = word.split_once(':')?;
        Some((since.parse().ok()?, symbol.to_owned()))
    };
    let answers: Vec<_> = text.split(' ').map(answer).collect::<Option<_>>()?;
    answers.is_sorted_by(|a, b| a.0 < b.0).then_some(answers)
}
