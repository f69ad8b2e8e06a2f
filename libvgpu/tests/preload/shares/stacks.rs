//! Real programs in a slice take their share's time for the same results.

use super::canary::Canary;
use super::judge::{allowed, inconclusive, say};
use super::tenant::in_slice;
use crate::alone;
use crate::clients::{Start, program, python};
use crate::machine::Machine;
use crate::run::Run;
use std::time::{Duration, Instant};

/// What a program printed, and the seconds that it says its launches took, if they tell anything.
struct Printed {
    results: String,
    seconds: Option<f64>,
}

/// The programs launch kernels of 1 ms.
const KERNEL_US: &str = "1000";

/// The share of the limited run, in percent.
const SHARE: u8 = 40;

/// How often a run is tried in which the machine overslept.
const TRIES: usize = 6;

fn check(name: &str) {
    alone::measure(2);
    let machine = Machine::new();
    let run = |start: Start| {
        Some(python(&machine, start)?.arg(program(name)).env("VGPU_SIM_KERNEL_DEFAULT_US", KERNEL_US))
    };
    let Some(native) = timed(|| run(Run::natively)) else { return };
    let limited = timed(|| Some(in_slice(&machine, run(Run::preloaded)?, "region", SHARE)));
    let limited = limited.expect("it ran natively");
    assert_eq!(limited.results, native.results);
    let (Some(seconds), Some(natively)) = (limited.seconds, native.seconds) else {
        return inconclusive(&format!("{name}: the machine overslept in each of {TRIES} runs"));
    };
    let share = 100.0 * natively / seconds;
    let line =
        format!("{name} at {SHARE} %: {seconds:.2} s, natively {natively:.2} s, {share:.1} % of its speed");
    say(&line);
    assert!((share - f64::from(SHARE)).abs() <= allowed(), "{line}");
}

/// What the program prints, with its time if the machine did not oversleep; `None` where there is no such program.
fn timed(run: impl Fn() -> Option<Run>) -> Option<Printed> {
    let canary = Canary::new();
    let mut tries = 1..TRIES;
    loop {
        let said = run()?.said();
        assert_eq!(said.status, "exit status: 0", "{said:#?}");
        let (times, results): (Vec<_>, Vec<_>) =
            said.output.lines().partition(|line| line.starts_with("seconds "));
        let seconds: f64 = times.concat().replace("seconds ", "").parse().unwrap();
        let end = Instant::now();
        let begin = end - Duration::from_secs_f64(seconds);
        let seconds = Some(seconds).filter(|_| !canary.overslept(begin, end));
        if seconds.is_some() || tries.next().is_none() {
            return Some(Printed { results: results.join("\n"), seconds });
        }
    }
}

#[test]
fn numba_cuda_slows_down_to_its_share() {
    check("paced_jit.py");
}

#[test]
fn taichi_slows_down_to_its_share() {
    check("paced_fields.py");
}
