//! Writes the macro that leaves out the rows without a body.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use sim_exports::{Names, rows_not_simulated};

/// Names of those rows.
const NOT_SIMULATED: &str = "profiles/not-simulated.txt";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={NOT_SIMULATED}");
    let names = Names::parse(&fs::read_to_string(NOT_SIMULATED)?)
        .map_err(|error| format!("{NOT_SIMULATED}: {error}"))?;
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("rows.rs"),
        rows_not_simulated(cuda_sys::NVML, &names),
    )?;
    Ok(())
}
