//! Feature gates, written as Kubernetes writes them: `CorePlugin=true,MemoryPlugin=false`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A part of a program that is off unless it is asked for.
pub trait Gate: Copy + Ord + 'static {
    /// All of the program's, in the order of their names.
    const ALL: &'static [Self];

    /// The name on the command line.
    fn name(self) -> &'static str;
}

/// The gates that are open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gates<G>(BTreeSet<G>);

impl<G: Gate> Gates<G> {
    /// Is this one open?
    #[must_use]
    pub fn has(&self, gate: G) -> bool {
        self.0.contains(&gate)
    }
}

impl<G> Default for Gates<G> {
    fn default() -> Self {
        Self(BTreeSet::new())
    }
}

impl<G: Gate> fmt::Display for Gates<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written: Vec<_> =
            G::ALL.iter().map(|gate| format!("{}={}", gate.name(), self.has(*gate))).collect();
        f.write_str(&written.join(","))
    }
}

/// The text opens no gates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GatesError {
    /// There is no such gate.
    Unknown {
        /// What was written.
        name: String,
        /// What there is, with commas.
        known: String,
    },
    /// It says neither open nor closed.
    NoValue(String),
}

impl fmt::Display for GatesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, known } => write!(f, "unknown feature gate {name:?}; known: {known}"),
            Self::NoValue(item) => write!(f, "feature gate {item:?}: write NAME=true or NAME=false"),
        }
    }
}

impl std::error::Error for GatesError {}

impl<G: Gate> FromStr for Gates<G> {
    type Err = GatesError;

    /// Reads `NAME=true` and `NAME=false` with commas between them; the last word on a gate counts.
    fn from_str(text: &str) -> Result<Self, GatesError> {
        let mut open = BTreeSet::new();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, value) = item.split_once('=').unwrap_or((item, ""));
            let gate = G::ALL.iter().copied().find(|gate| gate.name() == name);
            let gate = gate.ok_or_else(|| unknown::<G>(name))?;
            match value {
                "true" => drop(open.insert(gate)),
                "false" => drop(open.remove(&gate)),
                _ => return Err(GatesError::NoValue(item.to_owned())),
            }
        }
        Ok(Self(open))
    }
}

fn unknown<G: Gate>(name: &str) -> GatesError {
    let known: Vec<_> = G::ALL.iter().map(|gate| gate.name()).collect();
    GatesError::Unknown { name: name.to_owned(), known: known.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    enum Part {
        Core,
        Memory,
    }

    impl Gate for Part {
        const ALL: &'static [Self] = &[Self::Core, Self::Memory];

        fn name(self) -> &'static str {
            match self {
                Self::Core => "CorePlugin",
                Self::Memory => "MemoryPlugin",
            }
        }
    }

    fn error(text: &str) -> String {
        text.parse::<Gates<Part>>().unwrap_err().to_string()
    }

    #[test]
    fn gates_open_and_close_and_the_last_word_counts() {
        let gates: Gates<Part> = "CorePlugin=true, MemoryPlugin=true,MemoryPlugin=false".parse().unwrap();
        assert!(gates.has(Part::Core) && !gates.has(Part::Memory));
        assert_eq!(gates.to_string(), "CorePlugin=true,MemoryPlugin=false");
        assert_eq!(gates.to_string().parse(), Ok(gates));
        assert_eq!("".parse(), Ok(Gates::<Part>::default()));
    }

    #[test]
    fn a_gate_that_is_not_known_or_not_said_is_an_error() {
        assert_eq!(
            error("coreplugin=true"),
            "unknown feature gate \"coreplugin\"; known: CorePlugin, MemoryPlugin"
        );
        for text in ["CorePlugin", "CorePlugin=yes", "CorePlugin="] {
            assert_eq!(error(text), format!("feature gate {text:?}: write NAME=true or NAME=false"));
        }
    }
}
