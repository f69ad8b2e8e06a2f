//! What `vgpu ps` and `vgpu top` show alike: rows, tables, amounts, and texts that others have chosen.

mod rows;
#[cfg(test)]
pub(crate) mod samples;
mod table;
mod text;
mod time;

use std::io::{self, IsTerminal};
use std::path::Path;

use monitor::gpus::{GpuSource, Inventory, Nvml};
use monitor::slices::{self, Slice};

use crate::run::runtime_dir;

pub(crate) use rows::{Row, State, gpu_label, label, rows};
pub(crate) use table::{Align, Table};
pub(crate) use text::{cut, escaped, limited, prints, short};
pub(crate) use time::{Clock, ago, now};

/// How wide a line may be: a terminal's width, or anything.
pub(crate) fn columns() -> usize {
    let terminal = io::stdout().is_terminal().then(crossterm::terminal::size);
    terminal.and_then(Result::ok).map_or(usize::MAX, |(columns, _)| usize::from(columns))
}

/// Looks at the slices of this user.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// What the driver knows about GPUs; asked once, when it is needed.
    inventory: Option<Inventory>,
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
        let (mut slices, errors) = slices::all(runtime_dir().as_deref(), Path::new(slices::SHARED_MEMORY));
        if slices.iter().any(Slice::has_unidentified) {
            // Without a driver their indices stay unknown.
            let inventory =
                self.inventory.get_or_insert_with(|| Nvml::system().inventory().unwrap_or_default());
            slices.iter_mut().for_each(|slice| slice.identify(inventory));
        }
        Seen { slices, faults: errors.iter().map(ToString::to_string).collect() }
    }
}
