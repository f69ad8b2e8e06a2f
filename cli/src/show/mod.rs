//! What `vgpu ps` and `vgpu top` show alike: rows, tables, amounts, and texts that others have chosen.

mod rows;
#[cfg(test)]
pub(crate) mod samples;
mod table;
mod text;
mod time;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use monitor::gpus::{GpuSource, Inventory, Nvml};
use monitor::slices::{self, Slice};

use crate::run::runtime_dir;

pub(crate) use rows::{Row, State, gpu_label, label, rows, unsupervised};
pub(crate) use table::{Align, Table};
pub(crate) use text::{cut, escaped, limited, percent, prints, shared, short};
pub(crate) use time::{Clock, ago, lasted, now};

/// How wide a line may be: a terminal's width, or anything.
pub(crate) fn columns() -> usize {
    let terminal = io::stdout().is_terminal().then(crossterm::terminal::size);
    terminal.and_then(Result::ok).map_or(usize::MAX, |(columns, _)| usize::from(columns))
}

/// How long those who look once wait for a second look, if there is anything that two looks tell more of than one.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// Looks at the slices of this user.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// What the driver knows about GPUs; asked once, when it is needed.
    inventory: Option<Inventory>,
    /// The last look, and when that was.
    before: Option<(Instant, Vec<Slice>)>,
}

/// What is there at one time.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) slices: Vec<Slice>,
    /// Why there may be more, a line each.
    pub(crate) faults: Vec<String>,
}

impl Watch {
    /// The slices as they are now. GPUs of which they know only the UUID are looked for in the driver's list.
    pub(crate) fn look(&mut self) -> Seen {
        let now = Instant::now();
        let (mut slices, errors) = slices::all(runtime_dir().as_deref(), Path::new(slices::SHARED_MEMORY));
        if slices.iter().any(Slice::has_unidentified) {
            // Without a driver their indices stay unknown.
            let inventory =
                self.inventory.get_or_insert_with(|| Nvml::system().inventory().unwrap_or_default());
            slices.iter_mut().for_each(|slice| slice.identify(inventory));
        }
        if let Some((then, before)) = &self.before {
            for slice in &mut slices {
                let old = before.iter().find(|old| old.region == slice.region);
                old.into_iter().for_each(|old| slice.compare(old, now - *then));
            }
        }
        self.before = Some((now, slices.clone()));
        Seen { slices, faults: errors.iter().map(ToString::to_string).collect() }
    }

    /// The slices as they are now, or, where programs use GPUs' time, in a moment: how much they use is seen by looking twice.
    pub(crate) fn look_once(&mut self) -> Seen {
        let seen = self.look();
        if !seen.slices.iter().any(Slice::computes) {
            return seen;
        }
        thread::sleep(BETWEEN_LOOKS);
        self.look()
    }
}
