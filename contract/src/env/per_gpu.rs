//! A setting with a value for every GPU, and others for single ones.

use super::{EnvError, Variables};

/// `NAME` for every GPU and `NAME_<i>` for the one with index *i*. The inner `None` is "no limit", written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PerGpu<T> {
    default: Option<Option<T>>,
    single: Vec<(usize, Option<T>)>,
}

impl<T: Copy> PerGpu<T> {
    pub(super) fn read(
        name: &str,
        variables: &impl Variables,
        parse: impl Fn(&str, &str) -> Result<Option<T>, EnvError>,
    ) -> Result<Self, EnvError> {
        let mut single = Vec::new();
        for (index, value) in variables.of_single_gpus(name) {
            single.push((index, parse(&format!("{name}_{index}"), &value.to_string_lossy())?));
        }
        let default = variables.get(name).map(|value| parse(name, &value.to_string_lossy())).transpose()?;
        Ok(Self { default, single })
    }

    /// The value for the GPU with this index.
    pub(super) fn of(&self, index: usize) -> Option<T> {
        let single = self.single.iter().find(|(own, _)| *own == index);
        single.map_or_else(|| self.default.flatten(), |(_, value)| *value)
    }

    /// Whether the GPUs' order matters.
    pub(super) fn has_single(&self) -> bool {
        !self.single.is_empty()
    }

    /// Whether any GPU is limited.
    pub(super) fn limits_any(&self) -> bool {
        self.default.flatten().is_some() || self.single.iter().any(|(_, value)| value.is_some())
    }
}
