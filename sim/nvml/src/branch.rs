//! What differs between driver branches beside their exports.

use std::sync::OnceLock;

/// A driver branch.
#[derive(Debug)]
pub struct Branch {
    /// Its number, which also names the machine it talks to.
    pub name: &'static str,
    /// Full version of the driver.
    pub driver: &'static str,
    /// Version of the CUDA driver interface: 1000 × major + 10 × minor.
    pub cuda: i32,
    /// Size of the internal table that nvidia-smi asks for, in bytes.
    pub internal_table_bytes: usize,
    /// Engines in a sample of that table.
    pub sample_engines: usize,
    /// The first return code it has no description for.
    pub first_unknown_error: u32,
}

/// Branch 470, of 2021, the last for Kepler cards. It knows codes 23 and 24, but not 21 and 22.
pub static BRANCH_470: Branch = Branch {
    name: "470",
    driver: "470.256.02",
    cuda: 11_040,
    internal_table_bytes: 0x6a8,
    sample_engines: 4,
    first_unknown_error: 25,
};

/// Branch 535, the long-term support branch of 2023.
pub static BRANCH_535: Branch = Branch {
    name: "535",
    driver: "535.309.01",
    cuda: 12_020,
    internal_table_bytes: 0x7a8,
    sample_engines: 4,
    first_unknown_error: 28,
};

/// Branch 550, of 2024.
pub static BRANCH_550: Branch = Branch {
    name: "550",
    driver: "550.163.01",
    cuda: 12_040,
    internal_table_bytes: 0x7d8,
    sample_engines: 6,
    first_unknown_error: 30,
};

/// Branch 570, of 2025. Its table is taken to be that of branch 555, the newest that was measured.
pub static BRANCH_570: Branch = Branch {
    name: "570",
    driver: "570.172.08",
    cuda: 12_080,
    internal_table_bytes: 0x7f8,
    sample_engines: 6,
    first_unknown_error: 30,
};

/// Branch 580, the long-term support branch of 2025. Its table as for branch 570; its codes as in the headers.
pub static BRANCH_580: Branch =
    Branch { name: "580", driver: "580.65.06", cuda: 13_000, first_unknown_error: 31, ..BRANCH_570 };

/// Branch 615, of 2026, the first with memory limits of its own. Its table as for branch 570; its codes as in the headers.
pub static BRANCH_615: Branch = Branch { name: "615", driver: "615.71.09", cuda: 13_040, ..BRANCH_580 };

static SELECTED: OnceLock<&'static Branch> = OnceLock::new();

/// Lets the loader say which branch a shared object is, before anybody can call an export of it.
#[macro_export]
macro_rules! start_as {
    ($branch:path) => {
        #[used]
        #[unsafe(link_section = ".init_array")]
        static START: extern "C" fn() = {
            extern "C" fn start() {
                $crate::select(&$branch);
            }
            start
        };
    };
}

/// Says which branch this library is. The first caller, the shared object's constructor, decides.
pub fn select(branch: &'static Branch) {
    let _ = SELECTED.set(branch);
}

/// The branch this library is: the newest, when nobody said.
pub(crate) fn selected() -> &'static Branch {
    SELECTED.get().copied().unwrap_or(&BRANCH_550)
}
