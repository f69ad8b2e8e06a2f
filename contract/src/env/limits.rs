//! The limits that a container's environment carries.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::per_gpu::PerGpu;
use super::variables::{Asked, Variables};
use super::{CORE_POLICY, EnvError, LOG_LEVEL, MEMORY_LIMIT, PRIORITY, REGION, SM_LIMIT, value};
use crate::{Bytes, Percent};

/// What the variables of this module say.
///
/// An index is a GPU's place in NVML's order of what the container was given, never its place in the
/// `CUDA_VISIBLE_DEVICES` of a process, which programs rewrite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvLimits {
    memory: PerGpu<Bytes>,
    cores: PerGpu<Percent>,
    region: Option<PathBuf>,
    log_level: LogLevel,
    policy: CorePolicy,
    priority: Priority,
}

impl EnvLimits {
    /// Reads every variable through `get`, which answers like `std::env::var_os`.
    ///
    /// # Errors
    /// [`EnvError`] for the first limit, policy or priority that cannot be understood. A wrong limit is never "no limit".
    pub fn read(get: impl Fn(&str) -> Option<OsString>) -> Result<Self, EnvError> {
        Self::read_from(&Asked(get))
    }

    /// Reads every variable.
    ///
    /// # Errors
    /// As those of [`read`](Self::read).
    pub fn read_from(variables: &impl Variables) -> Result<Self, EnvError> {
        let text = |name| variables.get(name).unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self {
            memory: PerGpu::read(MEMORY_LIMIT, variables, value::memory)?,
            cores: PerGpu::read(SM_LIMIT, variables, value::cores)?,
            policy: value::policy(CORE_POLICY, &text(CORE_POLICY))?,
            priority: value::priority(PRIORITY, &text(PRIORITY))?,
            log_level: value::log_level(&text(LOG_LEVEL)),
            region: variables.get(REGION).filter(|path| !path.is_empty()).map(PathBuf::from),
        })
    }

    /// The memory limit of the GPU with this index; `None` is no limit.
    #[must_use]
    pub fn memory(&self, index: usize) -> Option<Bytes> {
        self.memory.of(index)
    }

    /// The compute limit of the GPU with this index, below 100 percent; `None` is no limit.
    #[must_use]
    pub fn cores(&self, index: usize) -> Option<Percent> {
        self.cores.of(index)
    }

    /// Whether the limits differ by index, so that NVML's order of the GPUs must be known to apply them.
    #[must_use]
    pub fn needs_order(&self) -> bool {
        self.memory.has_single() || self.cores.has_single()
    }

    /// Whether no GPU is limited.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.memory.limits_any() && !self.limits_cores()
    }

    /// Whether the share of any GPU is limited.
    #[must_use]
    pub fn limits_cores(&self) -> bool {
        self.cores.limits_any()
    }

    /// Path of the accounting region, when one is given.
    #[must_use]
    pub fn region(&self) -> Option<&Path> {
        self.region.as_deref()
    }

    /// How much to say on standard error.
    #[must_use]
    pub fn log_level(&self) -> LogLevel {
        self.log_level
    }

    /// When compute limits apply.
    #[must_use]
    pub fn policy(&self) -> CorePolicy {
        self.policy
    }

    /// The container's priority.
    #[must_use]
    pub fn priority(&self) -> Priority {
        self.priority
    }
}

/// When compute limits apply. What that means beside a limits page: [`in_force`](crate::limits_page::in_force).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CorePolicy {
    /// As the node's supervisor says.
    #[default]
    Default,
    /// Always, also while nobody else wants any time.
    Force,
    /// Never, but for a supervisor's.
    Disable,
}

/// A container's priority: 0 is the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Priority(pub u32);

impl Default for Priority {
    /// Low, as when no priority is given.
    fn default() -> Self {
        Self(1)
    }
}

impl FromStr for Priority {
    type Err = &'static str;

    /// Decimal digits and nothing else.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let level = digits.then(|| text.parse().ok()).flatten();
        level.map(Self).ok_or("write a whole number, 0 for high or 1 for low")
    }
}

/// How much the library says on standard error; each level includes the ones before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// 0 and 1: what makes the library refuse to work.
    Error,
    /// 2, and when nothing is given: what works otherwise than asked.
    #[default]
    Warn,
    /// 3: what was set up.
    Info,
    /// 4 and above: everything.
    Debug,
}

impl LogLevel {
    pub(super) const fn from_number(level: u64) -> Self {
        match level {
            0 | 1 => Self::Error,
            2 => Self::Warn,
            3 => Self::Info,
            _ => Self::Debug,
        }
    }
}
