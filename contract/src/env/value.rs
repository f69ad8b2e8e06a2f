//! The values of single variables.

use super::{CorePolicy, EnvError, LogLevel, Priority};
use crate::{Bytes, Percent, size};

/// A memory limit; zero is no limit.
pub(super) fn memory(name: &str, value: &str) -> Result<Option<Bytes>, EnvError> {
    let bytes = size::parse(value).map_err(|error| EnvError::size(name, error))?;
    Ok((bytes != Bytes::ZERO).then_some(bytes))
}

/// A compute limit in percent; 0 and everything from 100 on is no limit.
pub(super) fn cores(name: &str, value: &str) -> Result<Option<Percent>, EnvError> {
    let percent = number(value).ok_or_else(|| {
        EnvError::other(
            name,
            value,
            "is not a percentage; write a whole number from 1 to 99, or 0 for no limit",
        )
    })?;
    Ok(u8::try_from(percent).ok().filter(|&percent| percent < 100).and_then(Percent::new))
}

/// `default`, `force` or `disable` in any case; empty is `default`.
pub(super) fn policy(name: &str, value: &str) -> Result<CorePolicy, EnvError> {
    match value.to_ascii_lowercase().as_str() {
        "" | "default" => Ok(CorePolicy::Default),
        "force" => Ok(CorePolicy::Force),
        "disable" => Ok(CorePolicy::Disable),
        _ => Err(EnvError::other(name, value, "is not a policy; write default, force or disable")),
    }
}

/// A priority; empty is the usual one.
pub(super) fn priority(name: &str, value: &str) -> Result<Priority, EnvError> {
    if value.is_empty() {
        return Ok(Priority::default());
    }
    value.parse().map_err(|_| {
        EnvError::other(name, value, "is not a priority; write a whole number, 0 for high or 1 for low")
    })
}

/// How much to say. Never an error: what is not a number says as much as an unset variable.
pub(super) fn log_level(value: &str) -> LogLevel {
    number(value).map_or_else(LogLevel::default, LogLevel::from_number)
}

/// Decimal digits and nothing else.
fn number(value: &str) -> Option<u64> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| value.parse().unwrap_or(u64::MAX))
}
