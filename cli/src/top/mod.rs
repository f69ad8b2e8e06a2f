//! `vgpu top`: a live view of the slices.

mod draw;
mod frame;
mod gpus;
mod model;
mod screen;

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use crossterm::{event, terminal};

use crate::args::TopArgs;
use crate::failure::Failure;
use crate::say::print;
use crate::show::{Watch, now};
use model::{Model, Wish};
use screen::{Interruption, Screen};

/// How soon a signal is noticed.
const PATIENCE: Duration = Duration::from_millis(100);
/// Columns of a frame that is printed as text where there is no terminal to ask.
const COLUMNS: usize = 160;

/// Shows the slices until the user has seen enough, or one frame as text.
pub(crate) fn top(args: &TopArgs) -> Result<(), Failure> {
    if args.once || !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        let mut model = Model::new(Watch::default().look(), now());
        return print(&text(&mut model));
    }
    live(Duration::from_secs(args.interval))
        .map_err(|error| Failure::own(format_args!("cannot use the terminal: {error}; try vgpu top --once")))
}

fn live(interval: Duration) -> io::Result<()> {
    let mut watch = Watch::default();
    let mut model = Model::new(watch.look(), now());
    let mut looked = Instant::now();
    let mut screen = Screen::open()?;
    loop {
        let (columns, rows) = terminal::size()?;
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        screen.show(&draw::frame(&mut model, columns, rows), columns)?;
        if event::poll(PATIENCE)? {
            match model.event(&event::read()?) {
                Wish::Quit => return Ok(()),
                Wish::Suspend => screen.suspend()?,
                Wish::Nothing => {}
            }
        }
        match screen.interruption() {
            Some(Interruption::Stop) => screen.suspend()?,
            // Returns only for a signal that does not end the process.
            Some(Interruption::End(signal)) => return screen.end_by(signal),
            None => {}
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
