//! Generates the types, clients and servers of the protocols of kubelet and of container runtimes, without `protoc`.

use std::error::Error;
use std::path::PathBuf;

const FOLDER: &str = "proto";
const FILES: [&str; 3] = ["cri_v1.proto", "deviceplugin_v1beta1.proto", "podresources_v1.proto"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={FOLDER}");
    let descriptors = protox::compile(FILES, [FOLDER])?;
    let into = PathBuf::from(std::env::var("OUT_DIR")?);
    tonic_prost_build::configure().out_dir(into).compile_fds(descriptors)?;
    Ok(())
}
