//! Where the variables are read from.

use std::ffi::OsString;

use super::INDICES;

/// An environment, or what is known of one.
pub trait Variables {
    /// The value of the variable `name`.
    fn get(&self, name: &str) -> Option<OsString>;

    /// The values of those variables `NAME_<i>` that there are, by index.
    ///
    /// Asks for every index; whoever knows all names can do better.
    fn of_single_gpus(&self, name: &str) -> Vec<(usize, OsString)> {
        (0..INDICES).filter_map(|index| Some((index, self.get(&format!("{name}_{index}"))?))).collect()
    }
}

/// Variables that can only be asked for.
pub(super) struct Asked<F>(pub(super) F);

impl<F: Fn(&str) -> Option<OsString>> Variables for Asked<F> {
    fn get(&self, name: &str) -> Option<OsString> {
        (self.0)(name)
    }
}

/// The index in `variable` if that is `NAME_<i>`, written as one writes numbers.
#[must_use]
pub fn index_of(variable: &str, name: &str) -> Option<usize> {
    let number = variable.strip_prefix(name)?.strip_prefix('_')?;
    let index = number.parse().ok().filter(|&index: &usize| index < INDICES)?;
    (number == index.to_string()).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_a_plain_number_of_a_gpu() {
        assert_eq!(index_of("NAME_0", "NAME"), Some(0));
        assert_eq!(index_of("NAME_63", "NAME"), Some(63));
        for other in
            ["NAME", "NAME_", "NAME_64", "NAME_07", "NAME_+7", "NAME_7 ", "NAME_X", "NAMES_7", "OTHER_7"]
        {
            assert_eq!(index_of(other, "NAME"), None, "{other}");
        }
    }

    #[test]
    fn each_index_is_asked_for() {
        let variables =
            Asked(|name: &str| ["NAME_0", "NAME_63"].contains(&name).then(|| OsString::from(name)));
        let expected = [(0, OsString::from("NAME_0")), (63, OsString::from("NAME_63"))];
        assert_eq!(variables.of_single_gpus("NAME"), expected);
    }
}
