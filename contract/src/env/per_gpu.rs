//! A setting with a value for every GPU, and others for single ones.

use std::ffi::OsString;

use super::{EnvError, INDICES};

/// `NAME` for every GPU and `NAME_<i>` for the one with index *i*. The inner `None` is "no limit", written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PerGpu<T> {
    default: Option<Option<T>>,
    single: Vec<(usize, Option<T>)>,
}

impl<T: Copy> PerGpu<T> {
    pub(super) fn read(
        name: &str,
        get: &impl Fn(&str) -> Option<OsString>,
        parse: impl Fn(&str, &str) -> Result<Option<T>, EnvError>,
    ) -> Result<Self, EnvError> {
        let read = |name: &str| match get(name) {
            Some(value) => parse(name, &value.to_string_lossy()).map(Some),
            None => Ok(None),
        };
        let mut single = Vec::new();
        let mut of_one = String::new();
        for index in 0..INDICES {
            name_of(name, index, &mut of_one);
            if let Some(value) = read(&of_one)? {
                single.push((index, value));
            }
        }
        Ok(Self { default: read(name)?, single })
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

/// Makes `text` `NAME_<i>`. Every process that starts in a container does this for every index; the standard library's formatting
/// takes fifteen times as long.
fn name_of(name: &str, index: usize, text: &mut String) {
    text.clear();
    text.push_str(name);
    text.push('_');
    let digits = [index / 10, index % 10].map(|digit| u32::try_from(digit).ok());
    let digits = digits.into_iter().skip(usize::from(index < 10));
    text.extend(digits.filter_map(|digit| char::from_digit(digit?, 10)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_single_gpus_are_as_one_would_write_them() {
        let mut text = String::new();
        for index in 0..INDICES {
            name_of("NAME", index, &mut text);
            assert_eq!(text, format!("NAME_{index}"));
        }
    }
}
