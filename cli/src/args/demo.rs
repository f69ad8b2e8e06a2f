//! The arguments of `vgpu demo`.

use std::path::PathBuf;

use clap::Parser;
use contract::{Bytes, size};

use super::SimArg;

/// Show programs on a whole GPU, and then the same programs inside a limit
#[derive(Debug, Parser)]
#[command(after_help = "\
Shown are those that are here: nvidia-smi, a Python client of NVML, a CUDA program, numba-cuda and taichi.
Without a driver the simulated GPU is used.

Exit status: 0; 1 when a program that was run failed.")]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    pub(crate) sim: SimArg,

    /// The limit, at least 1Mi: bytes, or a whole number with k, m, g, t, Ki, Mi, Gi or Ti
    #[arg(long, value_name = "SIZE", default_value = "1Gi", value_parser = limit, allow_hyphen_values = true)]
    pub(crate) memory: Bytes,

    /// The Python to use
    #[arg(long, value_name = "PATH", default_value = "python3")]
    pub(crate) python: PathBuf,
}

fn limit(text: &str) -> Result<Bytes, String> {
    let bytes = size::parse(text).map_err(|error| error.to_string())?;
    if bytes.0 < 1 << 20 { Err("write a limit of at least 1Mi".to_owned()) } else { Ok(bytes) }
}
