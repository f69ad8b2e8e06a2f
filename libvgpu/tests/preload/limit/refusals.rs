//! What is noted of a refusal for whoever watches, and said if that is asked for.

use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::{OUT_OF_MEMORY, Puppet};
use contract::{Bytes, env};
use shared_region::snapshot::{RefusalCount, Snapshot};
use shared_region::{MemoryClass, SizeRange};

#[test]
fn a_refusal_is_counted_once_under_its_class_and_size() {
    let machine = Machine::new();
    let mut tenant = Puppet::with_context(machine.limited("1g"));
    let requests = [
        (MemoryClass::Linear, format!("cuMemAlloc_v2 out {}", 3 * GIB), 3 * GIB),
        (MemoryClass::Managed, format!("cuMemAllocManaged out {} 1", 5 * GIB), 5 * GIB),
        (MemoryClass::Pitched, "cuMemAllocPitch_v2 out out 1048576 1024 4".to_owned(), GIB),
        (MemoryClass::Pool, format!("cuMemAllocAsync out {} null", 9 * GIB), 9 * GIB),
        // A property of pinned memory on device 0.
        (MemoryClass::Physical, format!("cuMemCreate out {} in=1,1 0", 2 * GIB), 2 * GIB),
    ];
    for (_, call, _) in &requests {
        assert_eq!(tenant.ask(call), OUT_OF_MEMORY.to_string(), "{call}");
    }
    let snapshot = Snapshot::read(&machine.path("region")).unwrap();
    let counts = requests.each_ref().map(|(class, _, bytes)| RefusalCount {
        class: *class,
        size: SizeRange::of(Bytes(*bytes)),
        count: 1,
    });
    let refusals = &snapshot.devices[0].refusals;
    assert_eq!(refusals.counts, counts);
    let last = refusals.last.unwrap();
    assert_eq!((last.class, last.bytes), (Some(MemoryClass::Physical), Bytes(2 * GIB)));
    assert_eq!(refusals.largest, Bytes(9 * GIB));
    let process = &snapshot.processes[0];
    assert_eq!((process.usage[0].refused, process.refused_bytes), (5, Bytes(20 * GIB)));
    assert_eq!(process.last_refusal, Some(last));
    // What was set aside for the first context, whose size nobody knew.
    assert_eq!(snapshot.devices[0].peak, Bytes(512 * MIB));
    tenant.allocate(GIB - CONTEXT).unwrap();
    assert_eq!(tenant.ask("cuCtxCreate_v2 out 0 0"), OUT_OF_MEMORY.to_string());
    let snapshot = Snapshot::read(&machine.path("region")).unwrap();
    let contexts =
        snapshot.devices[0].refusals.counts.iter().find(|entry| entry.class == MemoryClass::Context);
    assert_eq!((contexts.unwrap().count, snapshot.devices[0].peak), (1, Bytes(GIB)));
}

#[test]
fn a_refusal_is_said_in_one_line_a_second_and_only_when_asked_for() {
    let machine = Machine::new();
    for (level, lines) in [("2", 0), ("3", 1), ("4", 1)] {
        let mut tenant = Puppet::with_context(machine.limited("1g").env(env::LOG_LEVEL, level));
        for _ in 0..5 {
            assert_eq!(tenant.allocate(2 * GIB), Err(OUT_OF_MEMORY));
        }
        let (_, errors) = tenant.end();
        let said: Vec<_> =
            errors.lines().filter(|line| line.starts_with("vgpu: out of memory on GPU-")).collect();
        // More than one only where the machine has slept for a second.
        assert!(said.len() >= lines && said.len() <= 2 * lines, "{level}: {errors}");
        for line in said {
            let rest = "2048 MiB (linear) do not fit, as 426 MiB are in use (426 MiB by this process) of a limit of 1024 MiB, \
                        which is set by CUDA_DEVICE_MEMORY_LIMIT; free some, or start the program with a larger one";
            assert!(line.contains(rest), "{line}");
        }
    }
}
