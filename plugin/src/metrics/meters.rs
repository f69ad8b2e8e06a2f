//! The meters of all containers, from one look to the next.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use contract::Uuid;
use monitor::meter::{Meter, Reading};

use crate::prepare::Holding;
use crate::slice::Owner;

/// How long all regions may take together. One takes microseconds, and milliseconds when it is filled with rubbish.
const READ_WITHIN: Duration = Duration::from_secs(3);

/// Meters by container; one that has nothing any more has none.
#[derive(Debug, Default)]
pub(super) struct Meters(BTreeMap<Owner, Timed>);

/// A meter, and how long it took to read it the last time.
#[derive(Debug, Default)]
struct Timed {
    meter: Meter,
    took: Duration,
    /// What was wrong with it.
    fault: Option<String>,
}

/// What a region says: nothing where there is none, or why it cannot be read.
pub(super) type Read = Result<Option<Reading>, String>;

impl Meters {
    /// Of containers that were there before this program: what they have done so far was another's to count.
    pub(super) fn inherited(holdings: &[Holding]) -> Self {
        let timed = |holding: &Holding| {
            let mut timed = Timed { meter: Meter::inherited(), ..Timed::default() };
            let is_there = !matches!(timed.read(holding), Ok(None));
            is_there.then(|| (holding.owner.clone(), timed))
        };
        Self(holdings.iter().filter_map(timed).collect())
    }

    /// Reads the region of each of `holdings` once.
    pub(super) fn read(&mut self, holdings: &[Holding]) -> Vec<Read> {
        let until = Instant::now() + READ_WITHIN;
        let mut before = std::mem::take(&mut self.0);
        let took = |holding: &Holding| before.get(&holding.owner).map(|timed| timed.took);
        let order = quickest_first(&holdings.iter().map(took).collect::<Vec<_>>());
        let mut reads = vec![Err("it was not read: others took too long".to_owned()); holdings.len()];
        for place in order {
            let Some((holding, read)) = holdings.get(place).zip(reads.get_mut(place)) else { continue };
            let mut timed = before.remove(&holding.owner).unwrap_or_default();
            if Instant::now() < until {
                *read = timed.read(holding);
            }
            self.0.insert(holding.owner.clone(), timed);
        }
        reads
    }
}

/// The places of what took so long the last time, the quickest first: who makes reading slow costs itself and its like. What was
/// not read before comes first.
fn quickest_first(took: &[Option<Duration>]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..took.len()).collect();
    places.sort_by_key(|place| took.get(*place));
    places
}

impl Timed {
    fn read(&mut self, holding: &Holding) -> Read {
        let began = Instant::now();
        let read = self.meter.read(&holding.region, &gpus(holding)).map_err(|error| error.to_string());
        self.took = began.elapsed();
        let fault = match &read {
            Ok(reading) => reading.as_ref().and_then(|reading| reading.fault.clone()),
            Err(error) => Some(error.clone()),
        };
        if let (Some(fault), true) = (&fault, fault != self.fault) {
            let Owner { pod, container } = &holding.owner;
            tracing::warn!(%pod, %container, fault, "a container's account cannot be believed");
        }
        self.fault = fault;
        read
    }
}

fn gpus(holding: &Holding) -> Vec<Uuid> {
    holding.devices.iter().map(|device| device.uuid).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_that_took_long_kept_others_from_being_read() {
        let took = [Some(9), None, Some(1), Some(50), Some(1)].map(|time| time.map(Duration::from_millis));
        assert_eq!(quickest_first(&took), [1, 2, 4, 0, 3]);
    }
}
