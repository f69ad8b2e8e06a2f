//! Writes the exports of driver branch 535.

#[path = "../shared_object/mod.rs"]
mod shared_object;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    shared_object::SharedObject { branch: "535", api_version: 12_020 }.build()
}
