//! The build of a branch's shared object: its exports, what its `cuGetProcAddress` answers, and its name.

mod profile;
mod render;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use sim_exports::{Exports, Names};

use profile::Profile;

/// A shared object.
pub(crate) struct SharedObject {
    /// The driver branch whose names it exports: `profiles/<branch>.tsv`.
    pub(crate) branch: &'static str,
    /// Path of the module with the functions, called like the symbols.
    pub(crate) module: &'static str,
    /// Rows of the table that have no function there.
    pub(crate) unsupported: Names,
    /// What the names of those jump to.
    pub(crate) fallback: &'static str,
}

impl SharedObject {
    /// Writes `exports.rs` for the package that is being built, which lies beside `profiles`.
    pub(crate) fn build(&self) -> Result<(), Box<dyn Error>> {
        let profile = self.profile()?;
        let exports = Exports {
            branch: &Names::parse(&profile.functions().join("\n"))?,
            rows: cuda_sys::DRIVER,
            not_simulated: &self.unsupported,
            beside_the_table: &[],
            module: self.module,
            fallback: self.fallback,
        };
        let source = exports.render() + &render::profile(&profile, self.branch);
        fs::write(PathBuf::from(env::var("OUT_DIR")?).join("exports.rs"), source)?;
        println!("cargo::rustc-link-arg-cdylib=-Wl,-soname,libcuda.so.1");
        // Threads, handlers and destructors of the driver outlive a program's `dlclose`.
        println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
        Ok(())
    }

    fn profile(&self) -> Result<Profile, String> {
        let path = format!("../profiles/{}.tsv", self.branch);
        Profile::parse(&read(&path)?).map_err(|error| format!("{path}: {error}"))
    }
}

/// Reads a list of names.
pub(crate) fn names(path: &str) -> Result<Names, String> {
    Names::parse(&read(path)?).map_err(|error| format!("{path}: {error}"))
}

fn read(path: &str) -> Result<String, String> {
    println!("cargo::rerun-if-changed={path}");
    fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}
