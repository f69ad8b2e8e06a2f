//! `SCHED`: what an interposer does to the order and the pace of work.

use super::probes::{call, cores, each, scaled, slow_request};
use crate::metric::{Better, Line, Metric};
use benches::program::Program;
use benches::subject::Setting;
use benches::work::Work;

pub(super) const METRICS: [Metric; 4] = [SWITCH, ROUND_TRIP, CONCURRENCY, PREEMPTION];

const SWITCH: Metric = Metric {
    id: "SCHED-001",
    name: "Switch of contexts",
    unit: "ns",
    better: Better::Less,
    measures: "processor time of cuCtxSetCurrent and a launch, in two contexts of a process by turns",
    published: "times two kernels with a synchronisation between them, in one context",
    lines: &[Line::new("two contexts", |subject| call(subject, Setting::Shared, Work::Switches, 300_000))],
};

const LAUNCH_AND_WAIT: Program =
    Program { name: "launch and wait", work: Work::Kernels { us: 1, batch: 1 }, count: 5_000 };

const ROUND_TRIP: Metric = Metric {
    id: "SCHED-002",
    name: "Launch and wait",
    unit: "us",
    better: Better::Less,
    measures: "time by the clock of a launch of a kernel of 1 us and the synchronisation behind it",
    published: "as OH-001, which it repeats",
    lines: &[Line::new("one process", |subject| each(subject, LAUNCH_AND_WAIT)).quick()],
};

const CONCURRENCY: Metric = Metric {
    id: "SCHED-003",
    name: "Concurrency of streams",
    unit: "%",
    better: Better::More,
    measures: "kernels that need a quarter of the device in four streams: how much of the possible factor of four is gained by launching them at once",
    published: "divides by the time of one stream without asking whether the kernels leave room beside them",
    lines: &[Line::new("4 streams", |subject| {
        let [one_by_one, at_once] = subject.ask(Setting::Shared, Work::Abreast { streams: 4 }, 50)?;
        Ok(100.0 * scaled(one_by_one, 4) / scaled(at_once.max(1), 1))
    })],
};

const PREEMPTION: Metric = Metric {
    id: "SCHED-004",
    name: "Wait for a busy device",
    unit: "ms",
    better: Better::Less,
    measures: "99th percentile of a launch of a kernel of 20 us and its synchronisation, beside a neighbour that launches kernels of 1 ms without end; both have 50 %",
    published: "uses streams of two priorities in one process, which says nothing about tenants",
    lines: &[Line::new("20 us kernels", |subject| {
        Ok(scaled(
            slow_request(subject, cores(50, 0), Work::Requests { us: 20, kernels: 1 }, Some(cores(50, 1)))?,
            1_000_000,
        ))
    })],
};
