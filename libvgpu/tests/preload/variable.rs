//! What the environment says about the tests themselves.

/// The number that `variable` holds, or `default` where it is not set.
pub(crate) fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |value| {
        value.parse().unwrap_or_else(|error| panic!("{variable} = {value}: {error}; give a number"))
    })
}
