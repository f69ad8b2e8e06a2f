//! What the preload library costs, always beside the same work without it in the same run.
//!
//! - `overhead table [ROW...]`: times; prints those rows of the table of goals, or all.
//! - `overhead counts`: instructions by callgrind; compares with `benches/counts.tsv`, or writes it with `--record`.
//! - `overhead work NAME COUNT`: the measured program itself, which the other two start.
//!
//! Both run on the simulated driver without a device behind it (`sim/null` of the stage directory), whose calls take a
//! few nanoseconds, so that the difference is the library's; only what needs time to pass on a device runs on one
//! (`sim/timed`, which has it in the process).

#![forbid(unsafe_code)]

mod bare;
mod counts;
mod goal;
mod polling;
mod programs;
mod table;

use anyhow::{Result, bail};
use benches::work;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments.as_slice() {
        ["table", ref rows @ ..] => table::print(rows),
        ["counts"] => counts::compare(),
        ["counts", "--record"] => counts::record(),
        ["work", name, count] => work::run(name.parse()?, count.parse()?),
        _ => bail!("usage: overhead table [ROW...] | counts [--record] | work NAME COUNT"),
    }
}
