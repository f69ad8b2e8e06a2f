//! What a tenant or a user can write, read by the parts of vgpu that must not believe it.
//!
//! Each module has one function `run`, which does all that may be done with an input and panics if something is not as
//! promised. `fuzz_targets/` searches for inputs with libFuzzer (`cargo xtask fuzz`); `tests/corpora.rs` runs the inputs in
//! `corpus/` as ordinary tests.

pub mod admission;
pub mod claim;
mod cluster;
pub mod environment;
pub mod extender;
pub mod limits_page;
pub mod nvidia_smi;
pub mod region;
pub mod region_member;
pub mod region_reader;
mod take;

/// What runs one input.
pub type Target = fn(&[u8]);

/// Every target, by the name of its program and its folder in `corpus/`.
pub const TARGETS: [(&str, Target); 8] = [
    ("region_reader", region_reader::run),
    ("region_member", region_member::run),
    ("limits_page", limits_page::run),
    ("environment", environment::run),
    ("nvidia_smi", nvidia_smi::run),
    ("claim", claim::run),
    ("extender", extender::run),
    ("admission", admission::run),
];
