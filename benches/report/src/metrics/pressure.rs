//! `FRAG` and `ERR`: what is left of memory after many allocations, and how errors end.

use super::probes::{call, memory, scaled, turn};
use crate::metric::{Better, Line, Metric};
use anyhow::Result;
use benches::subject::{Setting, Subject};
use benches::work::Work;

pub(super) const METRICS: [Metric; 6] = [HOLES, GROWTH, COMPACTION, DETECTION, RECOVERY, DEGRADATION];

const WHOLE_CARD: &str = "all of the card would have to be filled";

const HOLES: Metric = Metric {
    id: "FRAG-001",
    name: "Fragmentation",
    unit: "%",
    better: Better::Less,
    measures: "how far the largest request that is granted falls short of what is said to be free, after 4 GiB were filled with pieces of 2 to 62 MiB and every other one was freed",
    published: "reads one minus free by total, which is use",
    lines: &[Line::new("4 GiB", |subject| {
        let [free, among, ..] = holes(subject)?;
        Ok(100.0 - 100.0 * scaled(among, free.max(1)))
    })
    .apart(WHOLE_CARD)],
};

const GROWTH: Metric = Metric {
    id: "FRAG-002",
    name: "Growth of the time of an allocation",
    unit: "times",
    better: Better::Less,
    measures: "an allocation and its free beside 1,000 live ones, by the same beside one",
    published: "compares the first and the last of a hundred, of which the first pays for the start",
    lines: &[Line::new("1,000 live", |subject| {
        let many = call(subject, Setting::Limited, Work::Pair(1000), 200_000)?;
        Ok(many / call(subject, Setting::Limited, Work::Pair(1), 200_000)?.max(1.0))
    })],
};

const COMPACTION: Metric = Metric {
    id: "FRAG-003",
    name: "Memory after all was freed",
    unit: "%",
    better: Better::More,
    measures: "the largest request that is granted after the fill of FRAG-001 and its end, in percent of the one before it",
    published: "is called compaction; no driver compacts, and it is time that is measured",
    lines: &[Line::new("4 GiB", |subject| {
        let [.., before, after] = holes(subject)?;
        Ok(100.0 * scaled(after, before.max(1)))
    })
    .apart(WHOLE_CARD)],
};

const DETECTION: Metric = Metric {
    id: "ERR-001",
    name: "Detection of an error",
    unit: "ns",
    better: Better::Less,
    measures: "processor time of one cuMemFree of what is no address, which has to return CUDA_ERROR_INVALID_VALUE",
    published: "times cudaGetLastError, which reads a variable",
    lines: &[Line::new("cuMemFree", |subject| call(subject, Setting::Limited, Work::Mistake, 20_000))],
};

const RECOVERY: Metric = Metric {
    id: "ERR-002",
    name: "Recovery",
    unit: "us",
    better: Better::Less,
    measures: "time by the clock from a refusal, by way of the free of 2 MiB, to the grant of 2 MiB",
    published: "times cudaDeviceReset",
    lines: &[Line::new("at a limit of 1 GiB", |subject| turn(subject, memory(1024), Work::Recover, 500))
        .apart(WHOLE_CARD)],
};

const DEGRADATION: Metric = Metric {
    id: "ERR-003",
    name: "Graceful degradation",
    unit: "%",
    better: Better::More,
    measures: "requests of far too much that end as they should: CUDA_ERROR_OUT_OF_MEMORY, nothing written, and a launch works afterwards",
    published: "counts allocations that succeed",
    lines: &[Line::new("of 500", |subject| Ok(scaled(subject.time(memory(1024), Work::Pressure, 500)?, 5)))
        .quick()],
};

fn holes(subject: &Subject) -> Result<[u64; 4]> {
    subject.ask(memory(4096), Work::Holes, 1)
}
