//! Many processes of one container allocate and free without pause while one after another is killed.
//!
//! `storm --workers N --requests N --cap BYTES --piece BYTES [--kill-every-ms N] [--seed N]
//! [--everything 0|1|2]`
//!
//! Each worker holds at most `--cap` bytes, in pieces of at most `--piece`, and frees some when it may not have more. With
//! `--everything 1` it takes the other kinds of memory but pools, with 2 those too, in two threads that may each hold `--cap` of
//! what was asked for beside the contexts. The
//! last line says how many requests there were, how many were granted and refused, and how many workers were killed. The
//! program fails when a call returned anything but success and out-of-memory. Who runs it judges the rest: by the truth of
//! the simulated machine, and by whether there should have been refusals.

mod kinds;
mod options;
mod random;
mod tally;
mod worker;

use options::Options;
use random::Random;
use std::process::ExitCode;
use std::time::Duration;
use tally::Tally;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("storm: {problem}");
            return ExitCode::from(2);
        }
    };
    let tally = match Tally::shared() {
        Ok(tally) => tally,
        Err(error) => {
            eprintln!("storm: {error}");
            return ExitCode::FAILURE;
        }
    };
    let killed = storm(&options, tally);
    println!("{tally}, {killed} workers killed");
    if tally.surprises() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Keeps the workers at work, and killed and replaced, until there were enough requests and half as many were killed as
/// there are, however slow the machine is at either. Answers with how many were killed.
fn storm(options: &Options, tally: &'static Tally) -> usize {
    let mut random = Random::new(options.seed);
    let mut start = || worker::start(options, tally, random.next());
    let mut workers: Vec<_> = (0..options.workers).map(|_| start()).collect();
    let mut victims = Random::new(options.seed ^ u64::MAX);
    let mut killed = 0;
    let enough = |killed| tally.requests() >= options.requests && killed >= options.workers / 2;
    while !enough(killed) && tally.surprises() == 0 {
        std::thread::sleep(Duration::from_millis(options.kill_every_ms));
        let victim = &mut workers[victims.below_index(options.workers)];
        victim.kill();
        killed += 1;
        *victim = start();
    }
    tally.stop();
    workers.into_iter().for_each(worker::Worker::join);
    killed
}
