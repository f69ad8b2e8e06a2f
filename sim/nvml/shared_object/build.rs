//! Build script of every branch's shared object: the package `sim-nvml-<branch>`, which has no source of its own.
//!
//! It writes the exports of the branch and gives the library its name.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use sim_exports::{Exports, Names};

fn main() -> Result<(), Box<dyn Error>> {
    let package = env!("CARGO_PKG_NAME");
    let branch = package.rsplit('-').next().unwrap_or(package);
    let exports = Exports {
        branch: &read(&format!("{branch}.txt"))?,
        rows: cuda_sys::NVML,
        not_simulated: &read("not-simulated.txt")?,
        beside_the_table: &["nvmlErrorString"],
        module: "sim_nvml::entry",
        fallback: "sim_nvml::entry::not_simulated",
    };
    let start = format!("\nsim_nvml::start_as!(sim_nvml::BRANCH_{branch});\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("exports.rs"), exports.render() + &start)?;
    println!("cargo::rustc-link-arg-cdylib=-Wl,-soname,libnvidia-ml.so.1");
    Ok(())
}

fn read(file: &str) -> Result<Names, Box<dyn Error>> {
    let path = format!("../profiles/{file}");
    println!("cargo::rerun-if-changed={path}");
    let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    Names::parse(&text).map_err(|error| format!("{path}: {error}").into())
}
