//! Writes the exports of each driver branch, and which rows of the table have a body here.

#[path = "build/profile.rs"]
mod profile;
#[path = "build/render.rs"]
mod render;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use sim_exports::{Exports, Names, rows_not_simulated};

use profile::Profile;

/// Each has a `profiles/<branch>.tsv` and an example target. The number is what `cuDriverGetVersion` gives.
const BRANCHES: [(&str, u32); 2] = [("535", 12_020), ("550", 12_040)];

const UNSUPPORTED: &str = "src/api/unsupported.txt";

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let unsupported = Names::parse(&read(UNSUPPORTED)?).map_err(|error| format!("{UNSUPPORTED}: {error}"))?;
    fs::write(out.join("simulated.rs"), rows_not_simulated(cuda_sys::DRIVER, &unsupported))?;
    for (branch, api_version) in BRANCHES {
        let path = format!("profiles/{branch}.tsv");
        let profile = Profile::parse(&read(&path)?).map_err(|error| format!("{path}: {error}"))?;
        let exports = Exports {
            branch: &Names::parse(&profile.functions().join("\n"))
                .map_err(|error| format!("{path}: {error}"))?,
            rows: cuda_sys::DRIVER,
            not_simulated: &unsupported,
            beside_the_table: &[],
            module: "sim_driver::entry",
            fallback: "sim_driver::entry::not_supported",
        };
        let source = exports.render() + &render::profile(&profile, branch, api_version);
        fs::write(out.join(format!("{branch}.rs")), source)?;
    }
    println!("cargo::rustc-link-arg-examples=-Wl,-soname,libcuda.so.1");
    println!("cargo::rerun-if-changed=profiles");
    println!("cargo::rerun-if-changed={UNSUPPORTED}");
    Ok(())
}

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(Path::new(path)).map_err(|error| format!("{path}: {error}"))
}
