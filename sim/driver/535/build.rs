//! Writes the exports of driver branch 535.

#[path = "../shared_object/mod.rs"]
mod shared_object;

use shared_object::{SharedObject, names};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let unsupported = names("../src/api/unsupported.txt")?;
    SharedObject {
        branch: "535",
        api_version: 12_020,
        module: "sim_driver::entry",
        unsupported,
        fallback: "sim_driver::entry::not_supported",
    }
    .build()
}
