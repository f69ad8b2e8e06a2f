//! Build script of the shared objects with a device in the process. Writes the exports: the names of driver branch 550, of which
//! few have a function.

#[path = "../shared_object/mod.rs"]
mod shared_object;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use shared_object::{SharedObject, names};
use sim_exports::{Names, rows_not_simulated};

fn main() -> Result<(), Box<dyn Error>> {
    let supported = names("supported.txt")?;
    let rest = cuda_sys::DRIVER.iter().map(|row| row.symbol).filter(|symbol| !supported.contains(symbol));
    let unsupported = Names::parse(&rest.collect::<Vec<_>>().join("\n"))?;
    let macros = rows_not_simulated(cuda_sys::DRIVER, &unsupported);
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("supported.rs"), macros)?;
    SharedObject { branch: "550", module: "entry", unsupported, fallback: "entry::not_supported" }.build()
}
