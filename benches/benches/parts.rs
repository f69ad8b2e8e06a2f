//! What the parts of a hooked call take by themselves: `cargo bench -p benches`. The parts depend on no driver and no process, so
//! a change in one of them shows here before it shows in `cargo xtask bench`.

#![forbid(unsafe_code)]

use contract::{Bytes, Uuid};
use criterion::{BenchmarkId, Criterion};
use policy::compute::{Nanos, Share};
use shared_region::compute::FinishWord;
use shared_region::{DeviceIndex, Region};
use std::hint::black_box;
use tracker::{Allocation, Allocations, ContextId};

const SIZE: Bytes = Bytes(1 << 20);

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    account(&mut criterion);
    allocations(&mut criterion);
    finish_time(&mut criterion);
    criterion.final_summary();
}

/// A charge in the account that the processes of a slice share, and its end; alone and beside others who hold something.
fn account(criterion: &mut Criterion) {
    const LIMIT: Bytes = Bytes(1 << 40);
    let mut group = criterion.benchmark_group("charge and refund");
    for others in [0_u32, 63] {
        let directory = tempfile::tempdir().expect("a directory for the account");
        let region = Region::open(&directory.path().join("region")).expect("a new account");
        let device = region.device(Uuid([7; 16])).expect("room for a device");
        let company: Vec<_> = (0..others).map(|_| region.join().expect("room for members")).collect();
        company.iter().for_each(|member| member.charge(device, SIZE));
        let member = region.join().expect("room for a member");
        group.bench_function(BenchmarkId::new("other members", others), |bencher| {
            bencher.iter(|| {
                member.reserve(device, SIZE, LIMIT).expect("it fits");
                member.refund(device, SIZE);
            });
        });
    }
}

/// The record of an allocation and its end, beside those that live.
fn allocations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("record and forget");
    let allocation = Allocation {
        device: DeviceIndex::all().next().expect("a device"),
        context: ContextId(1),
        bytes: SIZE,
        is_paged: false,
    };
    let address = |number: u64| 0x7f00_0000_0000 + number * SIZE.0;
    for live in [1, 1_000, 100_000] {
        let map = Allocations::default();
        for number in 0..live {
            assert_eq!(map.insert(address(number), allocation), None, "each address is another one");
        }
        let mut number = live;
        group.bench_function(BenchmarkId::new("live", live), |bencher| {
            bencher.iter(|| {
                number += 1;
                black_box(map.insert(address(number), allocation));
                black_box(map.take(address(number)))
            });
        });
    }
}

/// A turn in the queue for the device's time.
fn finish_time(criterion: &mut Criterion) {
    let (word, share) = (FinishWord::default(), Share::from_percent(50).expect("a share"));
    let mut now = Nanos(0);
    criterion.bench_function("reserve GPU time", |bencher| {
        bencher.iter(|| {
            now.0 += 2000;
            black_box(word.reserve(now, share, Nanos(1000)))
        });
    });
}
