//! `vgpu top`: a live view of the slices.

mod draw;
mod frame;
mod gpus;
mod interruption;
mod keys;
mod model;
mod screen;

use std::env;
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use crossterm::terminal;

use crate::args::TopArgs;
use crate::failure::Failure;
use crate::say::print;
use crate::show::{Watch, now};
use interruption::{Interruption, Interruptions};
use model::{Model, Wish};
use screen::Screen;

/// Columns of a frame that is printed as text where there is no terminal to ask.
const COLUMNS: usize = 160;

/// Shows the slices until the user has seen enough, or one frame as text.
pub(crate) fn top(args: &TopArgs) -> Result<(), Failure> {
    if args.once || !has_screen() {
        let mut model = Model::new(Watch::default().look_once(), now());
        return print(&text(&mut model));
    }
    live(Duration::from_secs(args.interval))
        .map_err(|error| Failure::own(format_args!("cannot use the terminal: {error}; try vgpu top --once")))
}

/// Whether there is a terminal whose cursor can be moved.
fn has_screen() -> bool {
    let is_dumb = env::var_os("TERM").is_none_or(|kind| kind.is_empty() || kind == OsStr::new("dumb"));
    io::stdout().is_terminal() && io::stdin().is_terminal() && !is_dumb
}

fn live(interval: Duration) -> io::Result<()> {
    let mut watch = Watch::default();
    let mut model = Model::new(watch.look(), now());
    let mut looked = Instant::now();
    let interruptions = Interruptions::catch()?;
    let mut screen = Screen::open()?;
    loop {
        let (columns, rows) = terminal::size()?;
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        let shown = screen.show(&draw::frame(&mut model, columns, rows), columns, &interruptions);
        let keys = shown.and_then(|()| screen.keys());
        // A terminal that goes away is an error, and a signal that says why.
        match interruptions.take() {
            // Returns only for a signal that does not end the process.
            Some(Interruption::End(signal)) => return screen.end_by(signal),
            Some(Interruption::Stop) => screen.suspend()?,
            Some(Interruption::Continued) => screen.retake()?,
            None => {}
        }
        for key in keys? {
            match model.press(key) {
                Wish::Quit => return Ok(()),
                Wish::Suspend => screen.suspend()?,
                Wish::Nothing => {}
            }
        }
        if looked.elapsed() >= interval {
            model.update(watch.look(), now());
            looked = Instant::now();
        }
    }
}

/// A frame of which nothing is cut off at the bottom, as lines of text.
fn text(model: &mut Model) -> String {
    let columns = io::stdout().is_terminal().then(terminal::size).and_then(Result::ok);
    let columns = columns.map_or(COLUMNS, |(columns, _)| usize::from(columns));
    let rows = draw::height(model);
    let frame = draw::frame(model, columns, rows);
    frame.iter().map(|line| line.text() + "\n").collect()
}
