//! What one slice holds and has done, with counters that only rise.
//!
//! A region counts for as long as it exists, and a process's numbers go when another one takes its slot over. So what is new
//! since the last look is added up here: whatever becomes of processes and regions, and whatever a tenant writes there, no counter
//! falls.

use std::collections::{BTreeMap, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use contract::{Bytes, Permille, Uuid};
use policy::compute::Nanos;
use shared_region::snapshot::{Account, GpuAccount, Tenure};
use shared_region::{OpenError, OpenFault, SlotId};

/// A slice's counters.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    region: Option<Identity>,
    gpus: BTreeMap<Uuid, Counting>,
    /// What is seen first has been counted before.
    is_inherited: bool,
}

/// What a slice holds and has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Of each GPU that was asked for, in that order.
    pub gpus: Vec<GpuReading>,
    /// Processes that live.
    pub processes: usize,
    /// Why the numbers mean nothing, if the region's contradict each other.
    pub fault: Option<String>,
}

/// What it holds and has done of one GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuReading {
    /// What its processes hold.
    pub used: Bytes,
    /// Part of that which is contexts and the like.
    pub overhead: Bytes,
    /// The most that they have held together, since the region is there.
    pub peak: Bytes,
    /// Threads that wait for their turn now.
    pub waiting: u32,
    /// The share of the GPU's time in force; `None` before a launch that was measured.
    pub share: Option<Permille>,
    /// What only rises.
    pub counters: Counters,
}

/// What has happened since the slice is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Requests for memory refused.
    pub refusals: u64,
    /// Launches while that was measured.
    pub launches: u64,
    /// How long threads have waited for their turn, together.
    pub throttled: Duration,
    /// GPU time used, where that was measured, corrected.
    pub gpu_time: Duration,
}

impl Meter {
    /// Of a slice that was watched by another before: what it has done so far is no news.
    #[must_use]
    pub fn inherited() -> Self {
        Self { is_inherited: true, ..Self::default() }
    }

    /// Looks at the region at `path`. `None` when there is none.
    ///
    /// # Errors
    /// [`OpenError`] when there is something else. The counters stay.
    pub fn read(&mut self, path: &Path, gpus: &[Uuid]) -> Result<Option<Reading>, OpenError> {
        let region = Identity::of(path);
        match Account::read(path, gpus) {
            Ok(account) => Ok(Some(self.take(region, path, gpus, &account))),
            Err(error) if matches!(error.fault, OpenFault::Missing) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn take(&mut self, region: Option<Identity>, path: &Path, gpus: &[Uuid], account: &Account) -> Reading {
        if std::mem::replace(&mut self.region, region) != region {
            self.gpus.values_mut().for_each(Counting::begin_anew);
        }
        let is_news = !std::mem::take(&mut self.is_inherited);
        let none = GpuAccount { adds_up: true, ..GpuAccount::default() };
        let (mut readings, mut fault) = (Vec::with_capacity(gpus.len()), None);
        for (uuid, gpu) in gpus.iter().zip(&account.gpus) {
            let gpu = gpu.as_ref().unwrap_or(&none);
            if !gpu.adds_up {
                fault =
                    Some(format!("region {}: its numbers for {uuid} contradict each other", path.display()));
            }
            let counting = self.gpus.entry(*uuid).or_default();
            counting.take(gpu, is_news);
            readings.push(GpuReading::of(gpu, counting.sum));
        }
        Reading { gpus: readings, processes: account.processes, fault }
    }
}

impl GpuReading {
    fn of(gpu: &GpuAccount, counters: Counters) -> Self {
        let uses = || gpu.tenures.iter().map(|tenure| tenure.compute);
        let share = uses().filter_map(|using| using.share).max_by_key(|share| share.permille());
        Self {
            used: gpu.used,
            overhead: gpu.overhead,
            peak: gpu.peak,
            waiting: uses().fold(0, |sum, using| sum.saturating_add(using.waiting)),
            share: share.and_then(|share| Permille::new(share.permille())),
            counters,
        }
    }
}

/// Tells a region from the one that is at the same path later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    made: Option<SystemTime>,
}

impl Identity {
    fn of(path: &Path) -> Option<Self> {
        let file = path.symlink_metadata().ok()?;
        Some(Self { device: file.dev(), inode: file.ino(), made: file.created().ok() })
    }
}

/// The counters of one GPU, and what was last seen of what they count.
#[derive(Clone, Debug, Default)]
struct Counting {
    sum: Counters,
    refusals: u64,
    metered: u64,
    tenures: HashMap<(SlotId, u64, u64), (u64, u64)>,
}

impl Counting {
    /// The next numbers are a new region's.
    fn begin_anew(&mut self) {
        *self = Self { sum: self.sum, ..Self::default() };
    }

    fn take(&mut self, gpu: &GpuAccount, is_news: bool) {
        let refusals = risen(std::mem::replace(&mut self.refusals, gpu.refusals), gpu.refusals);
        let metered = risen(std::mem::replace(&mut self.metered, gpu.metered.0), gpu.metered.0);
        let gpu_time = Nanos(metered).in_proportion(gpu.correction.trim.bits(), MILLION);
        let (mut launches, mut waited) = (0_u64, 0_u64);
        let mut tenures = HashMap::with_capacity(gpu.tenures.len());
        for Tenure { slot, incarnation, started, compute } in &gpu.tenures {
            let key = (*slot, *incarnation, *started);
            let before = self.tenures.get(&key).copied().unwrap_or_default();
            launches = launches.saturating_add(risen(before.0, compute.launches));
            waited = waited.saturating_add(risen(before.1, compute.waited.0));
            tenures.insert(key, (compute.launches, compute.waited.0));
        }
        self.tenures = tenures;
        if is_news {
            let time = |sum: Duration, more: u64| sum.saturating_add(Duration::from_nanos(more));
            self.sum = Counters {
                refusals: self.sum.refusals.saturating_add(refusals),
                launches: self.sum.launches.saturating_add(launches),
                throttled: time(self.sum.throttled, waited),
                gpu_time: time(self.sum.gpu_time, gpu_time.0),
            };
        }
    }
}

/// The trim's unit.
const MILLION: u64 = 1_000_000;

/// How much a number has risen. One that has fallen has begun anew.
const fn risen(before: u64, now: u64) -> u64 {
    if now >= before { now - before } else { now }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared_region::snapshot::{ComputeUse, Correction};

    const GPU: Uuid = Uuid([1; 16]);

    fn identity(inode: u64) -> Option<Identity> {
        Some(Identity { device: 1, inode, made: None })
    }

    /// A region with processes in slot 0: incarnation and launches; each launch is 1 us, and waits 2.
    fn account(refusals: u64, processes: &[(u64, u64)]) -> Account {
        let tenure = |&(incarnation, launches): &(u64, u64)| Tenure {
            slot: SlotId::new(0).unwrap(),
            incarnation,
            started: 100 + incarnation,
            compute: ComputeUse { launches, waited: Nanos(2000 * launches), ..ComputeUse::default() },
        };
        let gpu = GpuAccount {
            refusals,
            adds_up: true,
            metered: Nanos(processes.iter().map(|(_, launches)| 1000 * launches).sum()),
            correction: Correction::default(),
            tenures: processes.iter().map(tenure).collect(),
            ..GpuAccount::default()
        };
        Account { gpus: vec![Some(gpu)], processes: processes.len() }
    }

    fn look(meter: &mut Meter, inode: u64, account: &Account) -> (u64, u64, u128) {
        let reading = meter.take(identity(inode), Path::new("r"), &[GPU], account);
        let counters = reading.gpus[0].counters;
        assert_eq!(counters.throttled, Duration::from_micros(2 * counters.launches));
        (counters.refusals, counters.launches, counters.gpu_time.as_micros())
    }

    #[test]
    fn counters_fell_when_a_process_ended_and_when_the_region_was_made_anew() {
        let mut meter = Meter::default();
        assert_eq!(look(&mut meter, 1, &account(3, &[(1, 100)])), (3, 100, 100));
        assert_eq!(look(&mut meter, 1, &account(3, &[(1, 150)])), (3, 150, 150));
        // Another process has the slot, and the region goes on counting its time.
        let mut after = account(4, &[(2, 30)]);
        after.gpus[0].as_mut().unwrap().metered = Nanos(180_000);
        assert_eq!(look(&mut meter, 1, &after), (4, 180, 180));
        // The container has been started again.
        assert_eq!(look(&mut meter, 2, &account(9, &[(1, 200)])), (13, 380, 380));
        let none = Account { gpus: vec![None], processes: 0 };
        assert_eq!(look(&mut meter, 2, &none), (13, 380, 380));
    }

    #[test]
    fn what_was_counted_before_the_agent_started_anew_is_not_counted_again() {
        let mut meter = Meter::inherited();
        assert_eq!(look(&mut meter, 1, &account(5, &[(1, 100)])), (0, 0, 0));
        assert_eq!(look(&mut meter, 1, &account(6, &[(1, 110)])), (1, 10, 10));
    }

    #[test]
    fn rubbish_makes_no_counter_fall() {
        let mut meter = Meter::default();
        let mut before = (0, 0, 0);
        for launches in [u64::MAX / 4000, 1, u64::MAX / 4000, 0, 7, u64::MAX / 2000] {
            let now = look(&mut meter, 1, &account(launches, &[(1, launches % 1000)]));
            assert!(now.0 >= before.0 && now.1 >= before.1 && now.2 >= before.2, "{before:?} {now:?}");
            before = now;
        }
    }

    #[test]
    fn numbers_that_contradict_each_other_are_said() {
        let mut odd = account(0, &[]);
        odd.gpus[0].as_mut().unwrap().adds_up = false;
        let reading = Meter::default().take(identity(1), Path::new("/r"), &[GPU], &odd);
        assert!(reading.fault.unwrap().starts_with("region /r: its numbers for GPU-"));
    }
}
