//! What an interposer is told to enforce, by variables.

use super::{Managed, Subject};
use crate::work::Work;
use std::process::Command;

/// Variables that a measured program does not inherit.
pub(super) const NAMES: [&str; 4] = [
    "CUDA_DEVICE_MEMORY_LIMIT",
    "CUDA_DEVICE_MEMORY_SHARED_CACHE",
    "CUDA_DEVICE_SM_LIMIT",
    "VGPU_LIMITS_DIR",
];

/// What is preloaded, and what it is told to enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Nothing is preloaded.
    Native,
    /// The library, which has no limit to enforce.
    Unlimited,
    /// The library with a limit of memory that only the refusals meet.
    Limited,
    /// The same and a limit of compute that nothing here meets.
    Shared,
    /// The library with limits that are meant to be met.
    Slice(Slice),
    /// A slice of `vgpu run`.
    Managed(Managed),
}

/// What a tenant may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Memory, in MiB.
    pub memory_mib: u32,
    /// Percent of the device's time; 100 is no limit.
    pub cores: u32,
    /// Which tenant: each has an account of its own.
    pub tenant: u32,
}

/// Percent of the device's time: as much as can be said that still is a limit.
const SHARE: u32 = 99;

impl Subject {
    /// Tells the interposer its limits: by HAMi's names, and by its own.
    pub(super) fn limit(&self, command: &mut Command, setting: Setting, work: Work) {
        let (memory, cores, tenant) = match setting {
            Setting::Native | Setting::Unlimited | Setting::Managed(_) => (None, None, 0),
            Setting::Limited => (Some(self.scene.place.ample_memory()), None, 0),
            Setting::Shared => (Some(self.scene.place.ample_memory()), Some(SHARE), 0),
            Setting::Slice(Slice { memory_mib, cores, tenant }) => {
                (Some(u64::from(memory_mib) << 20), Some(cores).filter(|cores| *cores < 100), tenant)
            }
        };
        // What was learned of one simulated driver says nothing about another, which calls its card the same.
        let account = format!("{}-{}-{tenant}", self.interposer.name, work.driver());
        let account = self.scene.accounts.join(account);
        if let Some(memory) = memory {
            command.env("CUDA_DEVICE_MEMORY_LIMIT", memory.to_string());
            command.env("CUDA_DEVICE_MEMORY_SHARED_CACHE", &account);
        }
        if let Some(cores) = cores {
            command.env("CUDA_DEVICE_SM_LIMIT", cores.to_string());
        }
        let number = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
        for (name, value) in &self.interposer.environment {
            let value = value.replace("{memory}", &number(memory));
            let value = value.replace("{cores}", &number(cores.map(u64::from)));
            command.env(name, value.replace("{cache}", &account.to_string_lossy()));
        }
    }
}
