//! The build of a branch's shared object: its exports and its name.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use sim_exports::{Exports, Names};

/// Writes `exports.rs` for the package that is being built, which lies beside `profiles`.
pub(crate) fn build(branch: &str) -> Result<(), Box<dyn Error>> {
    let exports = Exports {
        branch: &read(&format!("{branch}.txt"))?,
        rows: cuda_sys::NVML,
        not_simulated: &read("not-simulated.txt")?,
        beside_the_table: &["nvmlErrorString"],
        module: "sim_nvml::entry",
        fallback: "sim_nvml::entry::not_simulated",
    };
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("exports.rs"), exports.render())?;
    println!("cargo::rustc-link-arg-cdylib=-Wl,-soname,libnvidia-ml.so.1");
    Ok(())
}

fn read(file: &str) -> Result<Names, Box<dyn Error>> {
    let path = format!("../profiles/{file}");
    println!("cargo::rerun-if-changed={path}");
    let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    Names::parse(&text).map_err(|error| format!("{path}: {error}").into())
}
