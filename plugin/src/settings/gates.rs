//! Feature gates, written as Kubernetes writes them: `CorePlugin=true,MemoryPlugin=false`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A part of the agent that is off unless it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// Shares of compute time as a resource of the node.
    CorePlugin,
    /// What the scheduler needs to know of links between GPUs.
    GpuTopology,
    /// Memory as a resource of the node.
    MemoryPlugin,
    /// Pods that cannot start here are evicted, to be placed anew.
    Reschedule,
}

impl Gate {
    /// All of them, in the order of their names.
    pub const ALL: [Self; 4] = [Self::CorePlugin, Self::GpuTopology, Self::MemoryPlugin, Self::Reschedule];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CorePlugin => "CorePlugin",
            Self::GpuTopology => "GPUTopology",
            Self::MemoryPlugin => "MemoryPlugin",
            Self::Reschedule => "Reschedule",
        }
    }
}

/// The gates that are open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gates(BTreeSet<Gate>);

impl Gates {
    /// Is this one open?
    #[must_use]
    pub fn has(&self, gate: Gate) -> bool {
        self.0.contains(&gate)
    }
}

impl fmt::Display for Gates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = Gate::ALL.map(|gate| format!("{}={}", gate.name(), self.has(gate)));
        f.write_str(&written.join(","))
    }
}

/// The text opens no gates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GatesError {
    /// There is no such gate.
    #[error("unknown feature gate {0:?}; known: {known}", known = Gate::ALL.map(Gate::name).join(", "))]
    Unknown(String),
    /// It says neither open nor closed.
    #[error("feature gate {0:?}: write NAME=true or NAME=false")]
    NoValue(String),
}

impl FromStr for Gates {
    type Err = GatesError;

    fn from_str(text: &str) -> Result<Self, GatesError> {
        let mut open = BTreeSet::new();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, value) = item.split_once('=').unwrap_or((item, ""));
            let gate = Gate::ALL.into_iter().find(|gate| gate.name() == name);
            let gate = gate.ok_or_else(|| GatesError::Unknown(name.to_owned()))?;
            match value {
                "true" => drop(open.insert(gate)),
                "false" => drop(open.remove(&gate)),
                _ => return Err(GatesError::NoValue(item.to_owned())),
            }
        }
        Ok(Self(open))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<Gates>().unwrap_err().to_string()
    }

    #[test]
    fn gates_open_and_close_and_the_last_word_counts() {
        let gates: Gates = "CorePlugin=true, MemoryPlugin=true,MemoryPlugin=false".parse().unwrap();
        assert!(gates.has(Gate::CorePlugin) && !gates.has(Gate::MemoryPlugin));
        assert_eq!(
            gates.to_string(),
            "CorePlugin=true,GPUTopology=false,MemoryPlugin=false,Reschedule=false"
        );
        assert_eq!(gates.to_string().parse(), Ok(gates));
        assert_eq!("".parse(), Ok(Gates::default()));
    }

    #[test]
    fn a_gate_that_is_not_known_or_not_said_is_an_error() {
        assert_eq!(
            error("coreplugin=true"),
            "unknown feature gate \"coreplugin\"; known: CorePlugin, GPUTopology, MemoryPlugin, Reschedule"
        );
        for text in ["CorePlugin", "CorePlugin=yes", "CorePlugin="] {
            assert_eq!(error(text), format!("feature gate {text:?}: write NAME=true or NAME=false"));
        }
    }
}
