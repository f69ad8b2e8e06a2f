//! The settings of a node: those of the section that its label names, over the default section, over what is built in.

use std::collections::BTreeMap;
use std::time::Duration;

use contract::limits_page::SharePolicy;
use serde::Deserialize;

use super::exclude::Excluded;
use super::scaling::Scaling;
use crate::inventory::health::Policy;

/// The version of the file that is read.
const VERSION: u32 = 1;

/// The most parts of one GPU: kubelet takes 4 MiB in one message, and a device takes about 60 bytes.
const SPLIT_MAX: u32 = 1000;

/// The largest unit of memory, in MiB.
const FACTOR_MAX: u32 = 1 << 16;

/// What holds for one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSettings {
    /// How many containers may share a GPU.
    pub split_count: u32,
    /// How many MiB one unit of the memory resource is.
    pub memory_factor: u32,
    /// How much memory is given out of what there is.
    pub memory_scaling: Scaling,
    /// How much compute time is given out of what there is.
    pub cores_scaling: Scaling,
    /// Devices that are left to others.
    pub exclude: Vec<Excluded>,
    /// Shall kubelet align processors and memory with device ids? They need not be of the GPU that the pod gets.
    pub numa_hints: bool,
    /// What shares mean for pods that say nothing about it.
    pub compute_policy: SharePolicy,
    /// Which devices are good.
    pub health: Policy,
}

impl Default for NodeSettings {
    fn default() -> Self {
        Self {
            split_count: 10,
            memory_factor: 1,
            memory_scaling: Scaling::ONE,
            cores_scaling: Scaling::ONE,
            exclude: Vec::new(),
            numa_hints: false,
            compute_policy: SharePolicy::default(),
            health: Policy::default(),
        }
    }
}

/// What holds for the nodes of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    default: NodeSettings,
    sections: BTreeMap<String, NodeSettings>,
}

/// The configuration is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigurationError {
    /// It is not YAML, or has something that is not known.
    #[error("{0}")]
    Unreadable(String),
    /// It is of another version of this program.
    #[error("version is {0}, this program reads version {VERSION}")]
    Version(u32),
    /// A value is none.
    #[error("{section}: {fault}")]
    Value {
        /// Where.
        section: String,
        /// What is wrong, with the value and what to write.
        fault: String,
    },
    /// A label names a section that is not there.
    #[error("there is no section {wanted:?} under nodes; there are: {there}")]
    NoSection {
        /// The label's value.
        wanted: String,
        /// The sections that are there.
        there: String,
    },
}

impl Configuration {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// [`ConfigurationError`]: the first thing that is wrong, in any section.
    pub fn parse(text: &str) -> Result<Self, ConfigurationError> {
        let written: Written = serde_saphyr::from_str(text)
            .map_err(|error| ConfigurationError::Unreadable(error.to_string()))?;
        if written.version != VERSION {
            return Err(ConfigurationError::Version(written.version));
        }
        let over = |base: &NodeSettings, section: Section, name: String| {
            section.over(base).map_err(|fault| ConfigurationError::Value { section: name, fault })
        };
        let default = over(&NodeSettings::default(), written.default, "default".to_owned())?;
        let sections = written.nodes.into_iter().map(|(name, section)| {
            let place = format!("nodes.{name}");
            Ok((name, over(&default, section, place)?))
        });
        Ok(Self { sections: sections.collect::<Result<_, _>>()?, default })
    }

    /// What holds for a node whose label names `section`, or that has no such label.
    ///
    /// # Errors
    /// There is no such section.
    pub fn of(&self, section: Option<&str>) -> Result<&NodeSettings, ConfigurationError> {
        let Some(wanted) = section else { return Ok(&self.default) };
        self.sections.get(wanted).ok_or_else(|| ConfigurationError::NoSection {
            wanted: wanted.to_owned(),
            there: self.sections.keys().cloned().collect::<Vec<_>>().join(", "),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    #[serde(default)]
    default: Section,
    #[serde(default)]
    nodes: BTreeMap<String, Section>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Section {
    split_count: Option<u32>,
    memory_factor: Option<u32>,
    memory_scaling: Option<f64>,
    cores_scaling: Option<f64>,
    exclude_devices: Option<Vec<Devices>>,
    numa_hints: Option<bool>,
    compute_policy: Option<String>,
    health: HealthSection,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Devices {
    Index(u32),
    Text(String),
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct HealthSection {
    ignored_xids: Option<Vec<u64>>,
    recover_after_seconds: Option<u64>,
}

impl Section {
    /// These settings, and those of `base` where nothing is said.
    fn over(self, base: &NodeSettings) -> Result<NodeSettings, String> {
        let scaling = |name, value: Option<f64>, base| {
            let Some(value) = value else { return Ok(base) };
            Scaling::new(value).ok_or_else(|| format!("{name} is {value}, not 0.001 to 10"))
        };
        let exclude = self.exclude_devices.map(|devices| devices.iter().map(Devices::excluded).collect());
        let policy = self
            .compute_policy
            .map(|name| name.parse().map_err(|fault| format!("computePolicy is {name:?}: {fault}")));
        Ok(NodeSettings {
            split_count: within("splitCount", self.split_count, base.split_count, SPLIT_MAX)?,
            memory_factor: within("memoryFactor", self.memory_factor, base.memory_factor, FACTOR_MAX)?,
            memory_scaling: scaling("memoryScaling", self.memory_scaling, base.memory_scaling)?,
            cores_scaling: scaling("coresScaling", self.cores_scaling, base.cores_scaling)?,
            exclude: exclude.unwrap_or_else(|| Ok(base.exclude.clone()))?,
            numa_hints: self.numa_hints.unwrap_or(base.numa_hints),
            compute_policy: policy.unwrap_or(Ok(base.compute_policy))?,
            health: self.health.over(&base.health),
        })
    }
}

fn within(name: &str, value: Option<u32>, base: u32, max: u32) -> Result<u32, String> {
    match value {
        None => Ok(base),
        Some(value) if (1..=max).contains(&value) => Ok(value),
        Some(value) => Err(format!("{name} is {value}, not 1 to {max}")),
    }
}

impl Devices {
    fn excluded(&self) -> Result<Excluded, String> {
        match self {
            Self::Index(index) => Ok(Excluded::Indices(*index..=*index)),
            Self::Text(text) => text.parse().map_err(|error| format!("excludeDevices: {error}")),
        }
    }
}

impl HealthSection {
    fn over(self, base: &Policy) -> Policy {
        Policy {
            ignored_xids: self
                .ignored_xids
                .map_or_else(|| base.ignored_xids.clone(), |xids| xids.into_iter().collect()),
            recover_after: self.recover_after_seconds.map_or(base.recover_after, Duration::from_secs),
            silence: base.silence,
        }
    }
}

#[cfg(test)]
mod tests;
