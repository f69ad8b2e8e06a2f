//! Properties of time over random work of several processes.

use proptest::prelude::*;
use sim_model::{
    Admission, Context, DeviceIndex, EventFlags, EventId, Kernel, Machine, MachineConfig, Nanos, Operation,
    Permille, ProcessId, StreamId, StreamKind,
};

const DEVICE: DeviceIndex = DeviceIndex(0);
const SLICE: u64 = 2_000_000;

/// A process with one context, two streams and an event after every kernel.
struct Tenant {
    process: ProcessId,
    context: Context,
    streams: [StreamId; 2],
    ends: [Vec<EventId>; 2],
    work: u64,
}

fn tenant(machine: &mut Machine, pid: u32) -> Tenant {
    let process = machine.attach(pid);
    let context = machine.create_context(process, DEVICE).expect("room");
    let streams = [(); 2]
        .map(|()| machine.create_stream(process, context.id, StreamKind::NonBlocking).expect("a stream"));
    Tenant { process, context, streams, ends: Default::default(), work: 0 }
}

impl Tenant {
    fn launch(&mut self, machine: &mut Machine, stream: usize, duration: u64, sm: u32) {
        let kernel = Kernel { duration: Nanos(duration), sm: Permille(sm), memory: Permille(100) };
        let flags = EventFlags { timing: true };
        let event = machine.create_event(self.process, self.context.id, flags).expect("an event");
        for operation in [Operation::Kernel(kernel), Operation::Record(event)] {
            let put = machine.enqueue(self.process, self.streams[stream], operation);
            assert_eq!(put, Ok(Admission::Queued));
        }
        self.ends[stream].push(event);
        self.work += duration;
    }
}

fn machine() -> Machine {
    Machine::new(&MachineConfig::default(), Nanos(0)).expect("the default machine")
}

/// Runs to the end of all work.
fn drain(machine: &mut Machine) {
    while let Some(next) = machine.next_event() {
        machine.advance(next);
    }
}

/// One launch: who, on which of its streams, how long, how much of the device, and how long after the last one.
fn launches() -> impl Strategy<Value = Vec<(usize, usize, u64, u32, u64)>> {
    let launch = (0_usize..3, 0_usize..2, 0_u64..5_000_000, 1_u32..=1000, 0_u64..3_000_000);
    prop::collection::vec(launch, 1..60)
}

proptest! {
    #[test]
    fn all_work_is_done_in_order_and_the_device_is_never_busier_than_it(history in launches()) {
        let mut machine = machine();
        let mut tenants: Vec<_> = (1..4).map(|pid| tenant(&mut machine, pid)).collect();
        for (who, stream, duration, sm, gap) in &history {
            let now = machine.now();
            machine.advance(Nanos(now.0 + gap));
            tenants[*who].launch(&mut machine, *stream, *duration, *sm);
        }
        drain(&mut machine);
        let truth = machine.truth();
        prop_assert_eq!(truth.devices[0].kernels, u64::try_from(history.len()).expect("few"));
        let busy: u64 = truth.processes.iter().map(|process| process.busy.0).sum();
        prop_assert_eq!(busy, truth.devices[0].busy.0, "one process at a time has the device");
        let work: u64 = tenants.iter().map(|tenant| tenant.work).sum();
        // A kernel alone takes its duration; beside others of its process never more than all of them together.
        prop_assert!(busy <= work + u64::try_from(history.len()).expect("few"));
        for tenant in &tenants {
            for ends in &tenant.ends {
                for pair in ends.windows(2) {
                    // From the later to the earlier: zero, unless they completed in the wrong order.
                    prop_assert_eq!(machine.elapsed(tenant.process, pair[1], pair[0]), Ok(Nanos(0)));
                }
            }
        }
    }

    #[test]
    fn in_one_stream_of_one_process_busy_time_is_exactly_the_work(
        durations in prop::collection::vec((0_u64..5_000_000, 1_u32..=1000), 1..50),
    ) {
        let mut machine = machine();
        let mut tenant = tenant(&mut machine, 1);
        for (duration, sm) in durations {
            tenant.launch(&mut machine, 0, duration, sm);
        }
        drain(&mut machine);
        prop_assert_eq!(machine.truth().devices[0].busy, Nanos(tenant.work));
        prop_assert_eq!(machine.now(), Nanos(tenant.work));
    }

    #[test]
    fn how_often_somebody_looks_changes_nothing(
        history in launches(),
        looks in prop::collection::vec(1_u64..400_000, 1..300),
    ) {
        let run = |looks: &[u64]| {
            let mut machine = machine();
            let mut tenants: Vec<_> = (1..4).map(|pid| tenant(&mut machine, pid)).collect();
            for (who, stream, duration, _, _) in &history {
                // Whole shares on two streams: stretched by exactly two, so that nothing is lost to rounding.
                tenants[*who].launch(&mut machine, *stream, *duration, 1000);
            }
            for look in looks {
                let now = machine.now();
                machine.advance(Nanos(now.0 + look));
            }
            drain(&mut machine);
            machine.truth().devices
        };
        prop_assert_eq!(run(&looks), run(&[]));
    }

    #[test]
    fn equal_tenants_get_equal_time_to_within_a_slice(count in 2_u32..6, millis in 20_u64..200) {
        let mut machine = machine();
        let mut tenants: Vec<_> = (1..=count).map(|pid| tenant(&mut machine, pid)).collect();
        for (tenant, sm) in tenants.iter_mut().zip([1000, 10, 500, 1, 999]) {
            tenant.launch(&mut machine, 0, 10_000_000_000, sm);
        }
        machine.advance(Nanos(millis * 1_000_000));
        let busy: Vec<_> = machine.truth().processes.iter().map(|process| process.busy.0).collect();
        let (least, most) = (busy.iter().min(), busy.iter().max());
        prop_assert!(most.zip(least).is_some_and(|(most, least)| most - least <= SLICE), "{:?}", busy);
        prop_assert_eq!(busy.iter().sum::<u64>(), millis * 1_000_000);
    }

    #[test]
    fn nothing_is_complete_before_its_earliest_time(history in launches()) {
        let mut machine = machine();
        let mut tenants: Vec<_> = (1..4).map(|pid| tenant(&mut machine, pid)).collect();
        for (who, stream, duration, sm, _) in &history {
            tenants[*who].launch(&mut machine, *stream, *duration, *sm);
        }
        let first = &tenants[0];
        let wait = machine.wait_for_context(first.process, first.context.id).expect("a context");
        while !machine.is_complete(&wait) {
            let earliest = machine.earliest(&wait);
            let next = machine.next_event().expect("it is never done");
            machine.advance(next);
            prop_assert!(!machine.is_complete(&wait) || machine.now() >= earliest);
        }
    }
}
