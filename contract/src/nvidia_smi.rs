//! What is known of the internal table of NVML from which nvidia-smi takes its process lists.
//!
//! nvidia-smi does not call the public functions for them: it asks `nvmlInternalGetExportTable` for a table, of which the
//! first word is the size in bytes and every other word, called a slot, is the address of a function. There is no
//! documentation; what is here was seen in nvidia-smi 535.309.01 and 550.163.01, and published for 580.65.06.
//! nvidia-smi looks at no slot beyond the size, and prints a whole report without processes from a table of one word.

use core::fmt;

/// Variable that says what a program inside a slice gets: `on` (the default) or `off`, the driver's own table.
pub const SWITCH: &str = "VGPU_NVIDIA_SMI_TABLE";

/// The name of the table, as NVML is asked for it.
pub const TABLE: [u8; 16] =
    [0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e, 0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4];

/// The table of one driver branch, as far as processes are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// First number of the driver's version.
    pub branch: u32,
    /// Slots of the lists of compute, graphics and MPS processes.
    pub lists: [usize; 3],
    /// Slot of the samples of what processes use, which `nvidia-smi pmon` shows.
    pub samples: usize,
    /// Engines in a sample; `None` where that is not known.
    pub engines: Option<usize>,
}

/// The branches whose table is known.
pub const LAYOUTS: [Layout; 3] = [layout(535, Some(4)), layout(550, Some(6)), layout(580, None)];

/// The slots have been the same in every branch that was looked at.
const fn layout(branch: u32, engines: Option<usize>) -> Layout {
    Layout { branch, lists: [213, 214, 215], samples: 145, engines }
}

/// What a program inside a slice gets for the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// A copy of the driver's table in which the processes are the slice's.
    Patched(Layout),
    /// A table without processes, because the driver's is not known.
    Emptied,
}

impl Treatment {
    /// What is done with the table of a driver with this version, such as `550.163.01`.
    #[must_use]
    pub fn of_driver(version: &str) -> Self {
        let branch = version.split('.').next().and_then(|branch| branch.parse().ok());
        let known = LAYOUTS.into_iter().find(|layout| Some(layout.branch) == branch);
        known.map_or(Self::Emptied, Self::Patched)
    }

    /// The same by what `nvmlSystemGetNVMLVersion` says, which works before NVML is initialised: the major version of CUDA,
    /// then the driver's version.
    #[must_use]
    pub fn of_nvml(version: &str) -> Self {
        Self::of_driver(version.split_once('.').map_or("", |(_, driver)| driver))
    }
}

impl Layout {
    /// Bytes that a table must have to hold every slot named here.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let last = self.lists.into_iter().chain([self.samples]).max().unwrap_or(0);
        (last + 1) * size_of::<u64>()
    }
}

/// The variable [`SWITCH`] has a value that it cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchError(String);

impl fmt::Display for SwitchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vgpu: {SWITCH}={} is neither `on` nor `off`; taken as `on`", self.0)
    }
}

impl std::error::Error for SwitchError {}

/// Whether the table is to be replaced, by the value of [`SWITCH`].
///
/// # Errors
/// [`SwitchError`] for any other value.
pub fn is_on(value: Option<&str>) -> Result<bool, SwitchError> {
    match value {
        None | Some("" | "on") => Ok(true),
        Some("off") => Ok(false),
        Some(other) => Err(SwitchError(other.escape_debug().to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_branches_are_patched_and_others_emptied() {
        for layout in LAYOUTS {
            assert_eq!(Treatment::of_driver(&format!("{}.1.2", layout.branch)), Treatment::Patched(layout));
        }
        for version in ["470.256.02", "551.23", "999.1", "", "550x", "5500.1"] {
            assert_eq!(Treatment::of_driver(version), Treatment::Emptied, "{version}");
        }
    }

    #[test]
    fn nvmls_own_version_starts_with_that_of_cuda() {
        assert_eq!(Treatment::of_nvml("12.550.163.01"), Treatment::of_driver("550.163.01"));
        assert_eq!(Treatment::of_nvml("12"), Treatment::Emptied);
        assert_eq!(Treatment::of_nvml("550.163.01"), Treatment::Emptied);
    }

    #[test]
    fn the_last_list_needs_the_size_that_makes_nvidia_smi_use_it() {
        assert!(LAYOUTS.iter().all(|layout| layout.bytes() == 0x6c0));
    }

    #[test]
    fn the_switch_is_on_or_off() {
        assert_eq!(
            [None, Some(""), Some("on"), Some("off")].map(is_on),
            [Ok(true), Ok(true), Ok(true), Ok(false)]
        );
        let error = is_on(Some("no\n")).unwrap_err().to_string();
        assert_eq!(error, "vgpu: VGPU_NVIDIA_SMI_TABLE=no\\n is neither `on` nor `off`; taken as `on`");
    }
}
