//! Launches kernels as programs of one kind or another do, and says how many a second.
//!
//! `launcher WORKLOAD [--seconds N] [--us N] [--threads N] [--streams N] [--idle-us N]`
//!
//! The workloads are those of [`workload::ALL`]; without one, the program lists them. Each can be given another duration of
//! its kernels, and another number of threads or streams. It prints how many launches were queued in each second, and at
//! the end, when the device has done them all, how many that were and in what time. `--seconds 0` goes on until it is
//! killed.

mod options;
mod player;
mod workload;

use options::Options;
use player::Player;
use sim_apps::{Failure, driver, say};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What the threads tell the one that prints, and it tells them.
#[derive(Default)]
pub(crate) struct Board {
    launches: AtomicU64,
    is_over: AtomicBool,
}

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("launcher: {problem}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("launcher: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Failure> {
    driver::start(0)?;
    let (board, begin) = (Board::default(), Instant::now());
    let threads = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.plan.threads)
            .map(|_| {
                scope.spawn(|| {
                    let played = play(options, &board);
                    // One that fails is the end of the run.
                    board.is_over.store(played.is_err() || board.is_over(), Ordering::Relaxed);
                    played
                })
            })
            .collect();
        report(options.seconds, begin, &board);
        threads.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    for thread in threads {
        thread.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    }
    let (launches, seconds) = (board.launches.load(Ordering::Relaxed), begin.elapsed().as_secs_f64());
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let rate = launches as f64 / seconds;
    say("launcher", format_args!("{launches} launches in {seconds:.2} s: {rate:.0} a second"));
    Ok(())
}

/// What one thread does.
fn play(options: &Options, board: &Board) -> Result<(), Failure> {
    driver::start(0)?;
    let mut player = Player::new(&options.plan)?;
    while !board.is_over() {
        board.launches.fetch_add(player.step()?, Ordering::Relaxed);
    }
    player.finish()
}

/// Says at the end of each second how many launches were queued in it, and when the time is over.
fn report(seconds: u64, begin: Instant, board: &Board) {
    const SECOND: Duration = Duration::from_secs(1);
    let mut before = 0;
    for second in 1.. {
        let end = begin + SECOND * second;
        while !board.is_over() && Instant::now() < end {
            std::thread::sleep(end.saturating_duration_since(Instant::now()).min(SECOND / 20));
        }
        if board.is_over() {
            return;
        }
        let now = board.launches.load(Ordering::Relaxed);
        say("launcher", format_args!("second {second}: {} launches", now - before));
        before = now;
        if u64::from(second) == seconds {
            board.is_over.store(true, Ordering::Relaxed);
        }
    }
}

impl Board {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}
