//! Writes the macro that leaves out the rows without a body.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use sim_exports::{Names, rows_not_simulated};

/// Names of those rows.
const UNSUPPORTED: &str = "src/api/unsupported.txt";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={UNSUPPORTED}");
    let text = fs::read_to_string(UNSUPPORTED).map_err(|error| format!("{UNSUPPORTED}: {error}"))?;
    let names = Names::parse(&text).map_err(|error| format!("{UNSUPPORTED}: {error}"))?;
    let out = PathBuf::from(env::var("OUT_DIR")?).join("simulated.rs");
    fs::write(out, rows_not_simulated(cuda_sys::DRIVER, &names))?;
    Ok(())
}
