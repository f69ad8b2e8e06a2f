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
output is no terminal, one frame is printed as text, as with --once.")]
pub(crate) struct TopArgs {
    /// Print one frame as text
    #[arg(long)]
    pub(crate) once: bool,

    /// Seconds between two looks, 1 to 60
    #[arg(long, value_name = "SECONDS", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=60))]
    pub(crate) interval: u64,
}
