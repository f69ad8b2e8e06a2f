//! A process takes part in a region while others of its container write anything into it.
//!
//! Promised: no call panics or hangs, whatever the others write; and what the process believes that it holds itself is what it
//! was granted, as long as nobody writes.

use std::cell::LazyCell;

use contract::Bytes;
use policy::compute::{Nanos, Share};
use shared_region::snapshot::Snapshot;
use shared_region::{DeviceIndex, Member, MemoryClass, Refusal, Refused, Region};

use crate::region::{Bed, GPUS, LIMIT};
use crate::take::Take;

/// Steps of an input at most.
const STEPS: usize = 64;

thread_local! {
    static BED: LazyCell<Bed> = LazyCell::new(Bed::new);
}

/// Joins, and does as `input` says.
pub fn run(input: &[u8]) {
    BED.with(|bed| {
        bed.reset();
        let mut input = Take(input);
        let writes = input.byte() % 16;
        for _ in 0..writes {
            bed.write(&mut input, None);
        }
        let Ok(region) = Region::open(&bed.path()) else { return };
        let Ok(device) = region.device(GPUS[0]) else { return };
        let Ok(member) = region.join() else { return };
        let mut process = Process { member, device, held: Some(0).filter(|_| writes == 0) };
        for _ in 0..STEPS {
            if input.is_at_end() {
                break;
            }
            process.step(bed, &region, &mut input);
            assert!(process.held.is_none_or(|held| process.member.own(device) == Bytes(held)));
        }
    });
}

struct Process {
    member: Member,
    device: DeviceIndex,
    /// What it was granted and has not given back; `None` once somebody has written past it.
    held: Option<u64>,
}

impl Process {
    fn step(&mut self, bed: &Bed, region: &Region, input: &mut Take<'_>) {
        let Self { member, device, .. } = self;
        match input.byte() % 11 {
            0 | 1 => {
                bed.write(input, Some(member.slot().index()));
                self.held = None;
            }
            2 => {
                let bytes = Bytes(input.amount());
                let verdict = member.reserve(*device, bytes, LIMIT);
                self.learn(bytes, verdict);
            }
            3 => {
                let bytes = Bytes(input.amount());
                let verdict = member.reserve_or_reap(*device, bytes, LIMIT).map(drop);
                self.learn(bytes, verdict);
            }
            4 => {
                let bytes = Bytes(input.amount());
                member.charge(*device, bytes);
                self.held = self.held.map(|held| held.saturating_add(bytes.0));
            }
            5 => {
                let bytes = Bytes(input.amount());
                member.refund(*device, bytes);
                self.held = self.held.map(|held| held.saturating_sub(bytes.0));
            }
            6 => drop(member.reap()),
            7 => {
                let _ = (region.holders(*device), region.total(*device), member.learned_context(*device));
            }
            8 => {
                let refusal = Refusal { class: MemoryClass::Linear, bytes: Bytes(input.amount()), at: 1 };
                member.refused(*device, refusal);
                member.note_overhead(*device, refusal.bytes);
                member.learn_context(*device, refusal.bytes);
            }
            10 => {
                let compute = member.compute(*device).expect("it is a member");
                let now = Nanos(input.amount());
                let share = Share::from_percent(input.byte()).unwrap_or(Share::FULL);
                let reserved = compute.finish.reserve(now, share, Nanos(input.amount()));
                assert!(reserved.start >= now && reserved.wait_until(now).is_none_or(|until| until > now));
                compute.finish.correct(now, share, input.amount().cast_signed());
                compute.stats.launched(now.0, now);
                compute.stats.end_wait(now);
                compute.trim.meter(now);
                let _ = compute.trim.take_turn(now, Nanos(input.amount()));
            }
            _ => drop(Snapshot::read(&bed.path())),
        }
    }

    /// What it holds after `verdict` on a request for `bytes`.
    fn learn(&mut self, bytes: Bytes, verdict: Result<(), Refused>) {
        let Some(held) = self.held else { return };
        let fits_beside_own = held.checked_add(bytes.0).is_some_and(|sum| sum <= LIMIT.0);
        match verdict {
            Ok(()) => {
                assert!(fits_beside_own);
                self.held = Some(held + bytes.0);
            }
            Err(refused) => assert_eq!(refused == Refused::OwnUse, !fits_beside_own),
        }
    }
}
