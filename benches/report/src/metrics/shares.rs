//! `IS`: how exactly shares of compute are kept.

use super::probes::cores;
use super::progress::{Progress, jain};
use crate::goal::{Bound, Goal};
use crate::metric::{Better, Line, Metric};
use anyhow::{Context, Result};
use benches::subject::Subject;

pub(super) const METRICS: [Metric; 3] = [ACCURACY, RESPONSE, FAIRNESS];

const ACCURACY: Metric = Metric {
    id: "IS-003",
    name: "Accuracy of the share of compute",
    unit: "%",
    better: Better::Nearest,
    measures: "kernels that a tenant gets done in 1.5 s after the first half second, in percent of the native number; beside a neighbour, of the device's time",
    published: "is the device's utilisation, never divided by the limit: no limiter at all scores 100",
    lines: &[
        alone("10 %, 2 ms kernels", |subject| kept(subject, 10, 2000)).goal(within_a_point(10.0)),
        alone("30 %, 2 ms kernels", |subject| kept(subject, 30, 2000)).goal(within_a_point(30.0)).quick(),
        alone("50 %, 2 ms kernels", |subject| kept(subject, 50, 2000)).goal(within_a_point(50.0)),
        alone("90 %, 2 ms kernels", |subject| kept(subject, 90, 2000)).goal(within_a_point(90.0)),
        alone("30 %, 200 us kernels", |subject| kept(subject, 30, 200)).goal(within_a_point(30.0)),
        alone("30 %, 20 ms kernels", |subject| kept(subject, 30, 20_000)).goal(within_a_point(30.0)),
        Line::new("30 % beside 70 %", |subject| beside(subject, 30, 70))
            .by_the_clock()
            .goal(within_two_points(30.0)),
        Line::new("70 % beside 30 %", |subject| beside(subject, 70, 30))
            .by_the_clock()
            .goal(within_two_points(70.0)),
    ],
};

const RESPONSE: Metric = Metric {
    id: "IS-004",
    name: "Settling of the share of compute",
    unit: "ms",
    better: Better::Less,
    measures: "time from the start of a tenant, or from the start of the command that changes its limit, until what it has in two windows of 200 ms in a row is within two points of that; where it never is, the two to three seconds that are watched",
    published: "is the time in which a thousand kernels are done",
    lines: &[
        settling("start at 30 %", |subject| {
            Ok(settled(&Progress::alone(subject, cores(30, 0), 2000, WATCHED)?, 30.0, 0.0))
        }),
        settling("30 to 70 %, while it runs", |subject| {
            let (progress, changed) = Progress::changed(subject, 30, 70, WATCHED)?;
            Ok(settled(&progress, 70.0, changed))
        }),
    ],
};

const FAIRNESS: Metric = Metric {
    id: "IS-008",
    name: "Fairness",
    unit: "Jain's index",
    better: Better::More,
    measures: "Jain's index of what four tenants of 25 % have of the device beside each other, each a process of its own",
    published: "runs four streams of one process, one after the other",
    lines: &[Line::new("4 tenants", |subject| {
        let tenants = Progress::of(subject, &[0, 1, 2, 3].map(|tenant| cores(25, tenant)), 2000, 2500)?;
        let shares = tenants.iter().map(|tenant| tenant.share(500.0, 2500.0));
        Ok(jain(&shares.collect::<Result<Vec<_>>>()?))
    })
    .by_the_clock()
    .goal(Goal::of(9, Bound::AtLeast(0.999)).or_on_a_card(Bound::AtLeast(0.99)))],
};

const fn alone(name: &'static str, probe: crate::metric::Probe) -> Line {
    Line::new(name, probe).percent_of_native().by_the_clock()
}

const fn settling(name: &'static str, probe: crate::metric::Probe) -> Line {
    let line = Line::new(name, probe).apart("there is no share to settle at").by_the_clock();
    line.goal(Goal::of(8, Bound::AtMost(200.0)))
}

const fn within_a_point(of: f64) -> Goal {
    Goal::of(7, Bound::Near(of, 1.0)).or_on_a_card(Bound::Near(of, 2.0))
}

const fn within_two_points(of: f64) -> Goal {
    Goal::of(9, Bound::Near(of, 2.0))
}

/// How long a tenant is watched for its share to settle, in milliseconds.
const WATCHED: u32 = 3000;

/// Milliseconds from a moment until a share is kept, or all that were watched.
fn settled(progress: &Progress, wanted: f64, from: f64) -> f64 {
    progress.settled(from, wanted, 2.0, 200.0).unwrap_or_else(|| f64::from(WATCHED)) - from
}

/// What a tenant has of the device.
fn kept(subject: &Subject, percent: u32, us: u32) -> Result<f64> {
    Progress::alone(subject, cores(percent, 0), us, 2000)?.share(500.0, 2000.0)
}

/// The same beside a neighbour.
fn beside(subject: &Subject, percent: u32, neighbour: u32) -> Result<f64> {
    let tenants = Progress::of(subject, &[cores(percent, 0), cores(neighbour, 1)], 2000, 2500)?;
    tenants.first().context("two tenants")?.share(500.0, 2500.0)
}
