//! The arguments of `vgpu doctor`.

use std::ffi::OsString;

use clap::Parser;

use super::SimArg;

/// Say what would stop vgpu on this machine, and what to do about it
#[derive(Debug, Parser)]
#[command(
    override_usage = "vgpu doctor [OPTIONS] [-- COMMAND]",
    after_help = "\
Examples:
  vgpu doctor                     (this machine)
  vgpu doctor --sim               (with the simulated GPU, where there is none)
  vgpu doctor -- ./my-program     (and whether limits reach this program)

Exit status: 0 when nothing fails, warnings aside; 1 when something does."
)]
pub(crate) struct DoctorArgs {
    /// Print a JSON document instead, whose fields keep their names and meaning
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) sim: SimArg,

    /// A command to look at
    #[arg(trailing_var_arg = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}
