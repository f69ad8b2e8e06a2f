//! `OH`: what a call, a start and a second cost more.

use super::probes::{call, calls, each, launch, scaled, turn};
use crate::goal::{Bound, Goal};
use crate::metric::{Better, Line, Metric, Probe};
use anyhow::Result;
use benches::program::{BY_EIGHTS, GRAPHS, HOST_BOUND, LAUNCH_BOUND, ONE_BY_ONE, Program, STEPS};
use benches::start::{side_by_side, together, watched};
use benches::subject::{Setting, exactly};
use benches::work::Work;

pub(super) const METRICS: [Metric; 10] =
    [LAUNCH, ALLOCATION, FREE, CONTEXT, INTERCEPTION, CONTENTION, TRACKING, LIMITER, POLLING, PROGRAM];

const LAUNCH: Metric = Metric {
    id: "OH-001",
    name: "Kernel launch",
    unit: "ns",
    better: Better::Less,
    measures: "processor time of one cuLaunchKernel without a synchronisation, under limits of memory and compute that are not met",
    published: "times an empty launch together with the synchronisation behind it",
    lines: &[Line::new("one process", |subject| launch(subject, Setting::Shared))
        .goal(Goal::of(2, Bound::Added(60.0)))
        .quick()],
};

const ALLOCATION: Metric = Metric {
    id: "OH-002",
    name: "Allocation",
    unit: "ns",
    better: Better::Less,
    measures: "processor time of one cuMemAlloc of 1 MiB under a limit that is not met",
    published: "times cudaMalloc with the clock read around each, natively 80 us by one table and 12 us by another",
    lines: &[Line::new("256 live at most", |subject| {
        let [allocation, _] = subject.ask(Setting::Limited, Work::Halves, calls(subject, 50_000))?;
        Ok(scaled(allocation, 1))
    })],
};

const FREE: Metric = Metric {
    id: "OH-003",
    name: "Free",
    unit: "ns",
    better: Better::Less,
    measures: "processor time of one cuMemFree of 1 MiB under a limit that is not met",
    published: "as OH-002",
    lines: &[Line::new("256 live at most", |subject| {
        let [_, free] = subject.ask(Setting::Limited, Work::Halves, calls(subject, 50_000))?;
        Ok(scaled(free, 1))
    })],
};

const CONTEXT: Metric = Metric {
    id: "OH-004",
    name: "Context creation",
    unit: "us",
    better: Better::Less,
    measures: "time by the clock of cuCtxCreate and cuCtxDestroy; and from cuInit to the first allocation, in one process and in the 99th percentile of 64 that start together",
    published: "ends each round with cudaDeviceReset, which a product that keeps the context answers a thousand times faster",
    lines: &[
        Line::new("create and destroy", |subject| turn(subject, Setting::Limited, Work::Contexts, 20)),
        Line::new("a process", |subject| {
            let [elapsed, _] = subject.ask(Setting::Limited, Work::Start, 1)?;
            Ok(scaled(elapsed, 1000))
        })
        .quick(),
        Line::new("64 processes, 99th percentile", |subject| {
            Ok(scaled(together(subject, Setting::Limited, 64)?.p99, 1000))
        })
        .by_the_clock()
        .simulated_only("64 contexts take more of a card than may be asked of it")
        .goal(Goal::of(6, Bound::Added(2000.0))),
    ],
};

const INTERCEPTION: Metric = Metric {
    id: "OH-005",
    name: "Interception of a call",
    unit: "ns",
    better: Better::Less,
    measures: "processor time of one intercepted call that nothing limits",
    published: "times cudaGetDeviceCount, which a cache in front of the driver answers faster than the driver",
    lines: &[
        Line::new("cuDeviceTotalMem", |subject| call(subject, Setting::Unlimited, Work::Report, 1_000_000))
            .goal(Goal::of(1, Bound::Added(15.0)))
            .quick(),
        Line::new("cuLaunchKernel", |subject| launch(subject, Setting::Unlimited))
            .goal(Goal::of(1, Bound::Added(15.0))),
    ],
};

const CONTENTION: Metric = Metric {
    id: "OH-006",
    name: "Contention for the shared account",
    unit: "ns",
    better: Better::Less,
    measures: "time by the clock of one cuMemAlloc and its cuMemFree in each of two processes of a slice that do nothing else",
    published: "times cudaMalloc in 8 threads of one process, which is as slow natively",
    lines: &[Line::new("2 processes", |subject| {
        let told = side_by_side(subject, &[(Setting::Limited, Work::Race, calls(subject, 200_000)); 2])?;
        let times: Vec<[u64; 1]> = told.iter().map(|told| exactly(told)).collect::<Result<_>>()?;
        Ok(scaled(times.iter().flatten().sum(), 2))
    })],
};

const TRACKING: Metric = Metric {
    id: "OH-007",
    name: "Tracking of an allocation",
    unit: "ns",
    better: Better::Less,
    measures: "processor time of one cuMemAlloc and its cuMemFree under a limit that is not met; what is added is the tracking",
    published: "has no measurement that leaves out the driver's own time",
    lines: &[
        Line::new("1 live", |subject| call(subject, Setting::Limited, Work::Pair(1), 200_000))
            .goal(Goal::of(3, Bound::Added(150.0)))
            .quick(),
        Line::new("1,000 live", |subject| call(subject, Setting::Limited, Work::Pair(1000), 200_000))
            .goal(Goal::of(3, Bound::Added(150.0))),
        Line::new("100,000 live", |subject| call(subject, Setting::Limited, Work::Pair(100_000), 200_000))
            .goal(Goal::of(3, Bound::Added(150.0)))
            .simulated_only("100 GB are more than may be asked of a card"),
    ],
};

const LIMITER: Metric = Metric {
    id: "OH-008",
    name: "Rate limiter",
    unit: "ns",
    better: Better::Less,
    measures: "processor time of one launch under a limit of compute that is not met, less that of one under a limit of memory alone",
    published: "times a whole launch, natively 1,249 ns",
    lines: &[Line::new("one process", |subject| {
        let with = launch(subject, Setting::Shared)?;
        Ok(with - launch(subject, Setting::Limited)?)
    })
    .apart("there is no limiter")],
};

const POLLING: Metric = Metric {
    id: "OH-009",
    name: "Polling",
    unit: "% of a core",
    better: Better::Less,
    measures: "processor time of the threads that the program has not started, in eight processes together, while it rests and while each launches four kernels of 1 ms every 32 ms",
    published: "reads the whole process's time, the program's own with it",
    lines: &[
        Line::new("idle", |subject| {
            Ok(scaled(watched(subject, Setting::Shared, Work::Rest, 2, 8)?.others, 10_000))
        })
        .goal(Goal::of(13, Bound::Added(0.3))),
        Line::new("busy", |subject| {
            Ok(scaled(watched(subject, Setting::Shared, Work::Pace, 2, 8)?.others, 10_000))
        })
        .goal(Goal::of(13, Bound::Added(1.0))),
    ],
};

const PROGRAM: Metric = Metric {
    id: "OH-010",
    name: "A program's time",
    unit: "us",
    better: Better::Less,
    measures: "time by the clock of a kernel, a graph or a step of a program that launches them and waits for them, under limits that it does not reach",
    published: "is the constant 0 in the published results",
    lines: &[
        within_goal(BY_EIGHTS, |subject| each(subject, BY_EIGHTS)),
        within_goal(ONE_BY_ONE, |subject| each(subject, ONE_BY_ONE)),
        within_goal(GRAPHS, |subject| each(subject, GRAPHS)),
        within_goal(STEPS, |subject| each(subject, STEPS)),
        Line::new(HOST_BOUND.name, |subject| each(subject, HOST_BOUND)).by_the_clock(),
        Line::new(LAUNCH_BOUND.name, |subject| each(subject, LAUNCH_BOUND)).by_the_clock(),
    ],
};

const fn within_goal(program: Program, probe: Probe) -> Line {
    Line::new(program.name, probe).by_the_clock().goal(Goal::of(11, Bound::Times(1.005)))
}
