//! What a driver says of itself, and names that somebody has made up: versions, UUIDs, names of slices and of regions.
//!
//! Promised: the table of nvidia-smi is replaced by one of a known layout or by none; what is read as a name is written the same.

use contract::Uuid;
use contract::nvidia_smi::{LAYOUTS, Treatment};
use contract::paths::{self, RunName};

/// Reads `input` as each of them.
pub fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let treatment = Treatment::of_driver(&text);
    match treatment {
        Treatment::Patched(layout) => {
            assert!(LAYOUTS.contains(&layout));
            let branch: u32 =
                text.split('.').next().and_then(|branch| branch.parse().ok()).expect("a branch");
            assert_eq!(branch, layout.branch);
        }
        Treatment::Emptied => {}
    }
    assert_eq!(Treatment::of_nvml(&format!("12.{text}")), treatment);
    let _ = Treatment::of_nvml(&text);
    if let Ok(uuid) = text.parse::<Uuid>() {
        assert_eq!(uuid.to_string().parse(), Ok(uuid));
    }
    if let Some(name) = RunName::parse(&text) {
        assert_eq!(name.to_string(), text);
    }
    if let Some(uid) = paths::default_region_user(&text) {
        assert!(text.starts_with(&format!("vgpu-{uid}-")));
    }
}
