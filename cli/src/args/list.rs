//! The arguments of `vgpu ps` and `vgpu top`.

use clap::Parser;

/// List the processes of your slices: what each holds of which GPU
#[derive(Debug, Parser)]
#[command(after_help = "\
A process has a line for each GPU that it has used. PEAK is the most it has held, CONTEXT the part of
USED that the driver takes for contexts, REFUSED how many requests were over the limit.
Shown are the slices of vgpu run, and those whose accounting file is at its default path in /dev/shm.")]
pub(crate) struct PsArgs {
    /// Print a JSON document instead, whose fields keep their names and meaning
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show the GPUs, slices and processes live
#[derive(Debug, Parser)]
#[command(after_help = "\
Keys: q quits, up and down scroll, s or left and right choose what to sort by. Where standard input or
output is no terminal, or a dumb one, one frame is printed as text, as with --once.")]
pub(crate) struct TopArgs {
    /// Print one frame as text
    #[arg(long)]
    pub(crate) once: bool,

    /// Seconds between two looks, 1 to 60
    #[arg(long, value_name = "SECONDS", default_value_t = 1, value_parser = seconds, allow_hyphen_values = true)]
    pub(crate) interval: u64,
}

/// Reads the time between two looks.
fn seconds(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|seconds| (1..=60).contains(seconds)).ok_or("write a whole number from 1 to 60")
}
