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
pub(super) struct Meters(BTreeMap<Owner, Meter>);

/// What a region says: nothing where there is none, or why it cannot be read.
pub(super) type Read = Result<Option<Reading>, String>;

impl Meters {
    /// Of containers that were there before this program: what they have done so far was another's to count.
    pub(super) fn inherited(holdings: &[Holding]) -> Self {
        let meter = |holding: &Holding| {
            let mut meter = Meter::inherited();
            let is_there = !matches!(meter.read(&holding.region, &gpus(holding)), Ok(None));
            is_there.then(|| (holding.owner.clone(), meter))
        };
        Self(holdings.iter().filter_map(meter).collect())
    }

    /// Reads the region of each of `holdings` once.
    pub(super) fn read(&mut self, holdings: &[Holding]) -> Vec<Read> {
        let until = Instant::now() + READ_WITHIN;
        let mut before = std::mem::take(&mut self.0);
        let read = |holding: &Holding| {
            let mut meter = before.remove(&holding.owner).unwrap_or_default();
            let read = if Instant::now() < until {
                meter.read(&holding.region, &gpus(holding)).map_err(|error| error.to_string())
            } else {
                Err("it was not read: others took too long".to_owned())
            };
            self.0.insert(holding.owner.clone(), meter);
            read
        };
        holdings.iter().map(read).collect()
    }
}

fn gpus(holding: &Holding) -> Vec<Uuid> {
    holding.devices.iter().map(|device| device.uuid).collect()
}
