//! Properties of memory over random histories of several processes.

use proptest::prelude::*;

use super::tests::{DEVICE, small_device};
use super::*;
use crate::{AllocationRequest, Location};

/// A step of a random history.
#[derive(Clone, Debug)]
enum Step {
    Linear(u64),
    Managed(u64),
    Touch(usize),
    Free(usize),
    Reopen(u64),
}

fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let step = prop_oneof![
        4 => (1_u64..3 << 20).prop_map(Step::Linear),
        3 => (1_u64..8192).prop_map(Step::Linear),
        1 => (1_u64..20 << 20).prop_map(Step::Managed),
        2 => any::<usize>().prop_map(Step::Touch),
        4 => any::<usize>().prop_map(Step::Free),
        1 => (1_u64..4).prop_map(Step::Reopen),
    ];
    prop::collection::vec((1_u64..4, step), 1..200)
}

/// Does a step, keeping the live allocations in `live` with the context each is of.
fn apply(memory: &mut Memory, live: &mut Vec<(u64, AllocationId, Bytes)>, context: u64, step: Step) {
    let requested = |bytes| match step {
        Step::Managed(_) => AllocationRequest::Managed { bytes },
        _ => AllocationRequest::Linear { bytes },
    };
    match step {
        Step::Linear(bytes) | Step::Managed(bytes) => {
            if let Ok(placed) = memory.allocate(ContextId(context), requested(Bytes(bytes))) {
                live.push((context, placed.id, placed.bytes));
            }
        }
        Step::Touch(at) if !live.is_empty() => {
            let (context, id, bytes) = live[at % live.len()];
            let _ = memory.migrate(ProcessId(context), id, (Bytes::ZERO, bytes), Location::Device(DEVICE));
        }
        Step::Free(at) if !live.is_empty() => {
            let (context, id, _) = live.swap_remove(at % live.len());
            memory.free(ProcessId(context), id).expect("a live allocation");
        }
        Step::Reopen(context) => {
            memory.close_context(ContextId(context));
            live.retain(|(of, ..)| *of != context);
            let _ = memory.open_context(ContextId(context), ProcessId(context), DEVICE);
        }
        Step::Touch(_) | Step::Free(_) => {}
    }
}

proptest! {
    #[test]
    fn nothing_leaks_and_the_account_adds_up(history in steps()) {
        let mut memory = small_device(1);
        let mut live = Vec::new();
        for context in 1..4 {
            memory.open_context(ContextId(context), ProcessId(context), DEVICE).expect("room");
        }
        for (context, step) in history {
            apply(&mut memory, &mut live, context, step);
            let ledger = memory.ledger(DEVICE).expect("a device");
            let used: u64 = ledger.holdings().map(|(_, held)| held.used.0).sum();
            prop_assert_eq!(used + ledger.managed_resident.0, ledger.resident.now.0);
            let asked: u64 = live.iter().map(|(.., bytes)| bytes.0).sum();
            prop_assert_eq!(ledger.requested.now.0 + ledger.managed.now.0, asked);
            prop_assert_eq!(ledger.charged.now.0, asked + ledger.overhead.0);
            prop_assert!(ledger.resident.now.0 <= Bytes::from_mib(64).0);
            let paged: u64 = memory.residency.total().0;
            prop_assert_eq!(paged, ledger.managed_resident.0);
        }
        for context in 1..4 {
            memory.close_context(ContextId(context));
        }
        let ledger = memory.ledger(DEVICE).expect("a device");
        prop_assert_eq!(ledger.resident.now, Bytes::ZERO);
        prop_assert_eq!((ledger.allocations, ledger.holdings().count()), (0, 0));
    }
}
