//! Slices for the tests of what is shown.

use std::path::PathBuf;
use std::time::Duration;

use contract::env::Priority;
use contract::limits_page::SharePolicy;
use contract::{Bytes, Percent, Permille, Uuid};
use monitor::slices::{
    Compute, Correction, LastRefusal, Limit, MemoryClass, RefusalCount, RefusalSummary, SizeRange, Slice,
    SliceGpu, SliceProcess, Usage,
};

const MIB: u64 = 1 << 20;

/// A slice with a process on two GPUs and a dead one, one without processes, a broken one, and one at the default path.
pub(crate) fn slices() -> Vec<Slice> {
    vec![
        Slice {
            gpus: vec![refusing(gpu(0, Limit::Bytes(Bytes(1024 * MIB)), 1024)), gpu(1, Limit::Unlimited, 0)],
            processes: vec![
                process(
                    4712,
                    "python train.py",
                    vec![computing(usage(598, 1024, 426, 12)), usage(430, 430, 426, 0)],
                ),
                SliceProcess {
                    alive: false,
                    pid: None,
                    command: None,
                    ..process(4713, "", vec![usage(426, 426, 426, 0), Usage::default()])
                },
            ],
            ..slice("run-4711-0000000000000001", Some(4711))
        },
        slice("run-4720-0000000000000002", Some(4720)),
        Slice {
            fault: Some("shared region /x: has a damaged\nheader".to_owned()),
            ..slice("run-4730-0000000000000003", Some(4730))
        },
        Slice {
            gpus: vec![SliceGpu { index: None, name: None, memory: None, ..gpu(7, Limit::Unknown, 64) }],
            processes: vec![process(99, "evil\u{1b}[2J\nname", vec![usage(64, 64, 0, 0)])],
            ..slice("vgpu-1000-4026531841", None)
        },
    ]
}

fn slice(name: &str, supervisor: Option<u32>) -> Slice {
    Slice {
        name: name.to_owned(),
        supervisor,
        is_supervised: supervisor.is_some(),
        region: PathBuf::from("/run/user/1000/vgpu").join(name).join("region"),
        gpus: Vec::new(),
        processes: Vec::new(),
        fault: None,
    }
}

fn gpu(index: u8, limit: Limit, used: u64) -> SliceGpu {
    SliceGpu {
        uuid: Uuid([0xa0 + index; 16]),
        index: Some(u32::from(index)),
        name: Some("NVIDIA H100 80GB HBM3".to_owned()),
        memory: Some(Bytes(81_559 * MIB)),
        limit,
        cores: Percent::new(30),
        used: Bytes(used * MIB),
        peak: Bytes(used * MIB),
        refusals: RefusalSummary::default(),
        policy: SharePolicy::default(),
        priority: Priority::default(),
        compute: Compute::default(),
        correction: Correction::default(),
    }
}

/// `gpu` after 12 refusals to a process that lives, and 3 to one that has gone.
fn refusing(gpu: SliceGpu) -> SliceGpu {
    let count = |class, bytes, count| RefusalCount { class, size: SizeRange::of(Bytes(bytes)), count };
    let counts = vec![
        count(MemoryClass::Linear, MIB, 9),
        count(MemoryClass::Linear, 512 * MIB, 4),
        count(MemoryClass::Pool, 32 * MIB, 2),
    ];
    let refusals = RefusalSummary { counts, last: Some(LAST), largest: Bytes(600 * MIB) };
    SliceGpu { peak: Bytes(1024 * MIB), refusals, compute: COMPUTE, ..gpu }
}

/// What a program does that launches more than its share allows.
const COMPUTE: Compute = Compute {
    launches: 12_345,
    waited: Duration::from_millis(65_432),
    busy: Duration::from_millis(29_800),
    waiting: 1,
    share: Permille::new(300),
    achieved: Some(298),
};

/// The last refusal, at two seconds past 1970.
const LAST: LastRefusal =
    LastRefusal { at: 2_000_000_000, bytes: Bytes(MIB), class: Some(MemoryClass::Linear) };

fn process(pid: u32, command: &str, usage: Vec<Usage>) -> SliceProcess {
    let refused = usage.iter().map(|usage| usage.refused).sum::<u64>();
    SliceProcess {
        pid: Some(pid),
        own_pid: pid,
        pid_namespace: 4_026_531_836,
        started: 123_456,
        command: Some(command.to_owned()),
        alive: true,
        refused_bytes: Bytes(refused * MIB),
        last_refusal: Some(LAST).filter(|_| refused > 0),
        last_refused_gpu: Some(Uuid([0xa0; 16])).filter(|_| refused > 0),
        largest_refusal: Bytes(refused * MIB),
        usage,
    }
}

fn usage(used: u64, peak: u64, overhead: u64, refused: u64) -> Usage {
    let (used, peak, overhead) = (Bytes(used * MIB), Bytes(peak * MIB), Bytes(overhead * MIB));
    Usage { used, peak, overhead, refused, compute: Compute::default() }
}

fn computing(usage: Usage) -> Usage {
    Usage { compute: COMPUTE, ..usage }
}
