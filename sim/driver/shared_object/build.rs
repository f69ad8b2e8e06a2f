//! Build script of every branch's shared object: the package `sim-driver-<branch>`, which has no source of its own.

#[path = "mod.rs"]
mod shared_object;

use shared_object::{SharedObject, names};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let package = env!("CARGO_PKG_NAME");
    SharedObject {
        branch: package.rsplit('-').next().unwrap_or(package),
        module: "sim_driver::entry",
        unsupported: names("../src/api/unsupported.txt")?,
        fallback: "sim_driver::entry::not_supported",
    }
    .build()
}
