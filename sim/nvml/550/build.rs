//! Writes the exports of driver branch 550.

#[path = "../shared_object.rs"]
mod shared_object;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    shared_object::build("550")
}
