//! One page of metrics, from what was found out for it.

use std::time::{Duration, Instant};

use super::attribution::Seen;
use super::card::{Card, Model};
use super::exporter::Sources;
use super::meters::Read;
use super::node::{Agent, Build, Call, Failure, Fulfilled};
use super::slice::{Container, Slice, names};
use super::text::write;
use crate::inventory::{Family, GpuUse};
use crate::node::view::View;
use crate::prepare::{Cards, Holding, Holdings};

/// What was found out.
pub(super) struct Parts {
    pub(super) holdings: Holdings,
    /// Of each container, in that order.
    pub(super) reads: Vec<Read>,
    pub(super) uses: Vec<GpuUse>,
    pub(super) seen: Seen,
}

pub(super) struct Page {
    pub(super) parts: Parts,
    pub(super) began: Instant,
    pub(super) driver_answers: bool,
    pub(super) started: Duration,
}

impl Page {
    pub(super) fn text<F: Family, C: Cards>(&self, sources: &Sources<F, C>) -> String {
        let view = sources.view.borrow().clone();
        let (containers, slices) = self.parts.containers(&view);
        let cards = Card::all(&view, &self.parts.holdings.claimed, &slices, &self.parts.uses);
        let mut text = String::new();
        write(&mut text, &containers);
        write(&mut text, &slices);
        write(&mut text, &cards);
        write(&mut text, &cards.iter().map(Model::of).collect::<Vec<_>>());
        write(&mut text, &calls(sources));
        write(&mut text, &failures(sources));
        let conditions = sources.watched.conditions.all().into_iter();
        let fulfilled = conditions.map(|(name, state)| Fulfilled { name, is_so: state.is_ok() });
        write(&mut text, &fulfilled.collect::<Vec<_>>());
        write(&mut text, &[Build { library: sources.library.clone(), driver: view.driver }]);
        let Self { began, driver_answers, started, .. } = *self;
        write(&mut text, &[Agent { started, driver_answers, scrape: began.elapsed() }]);
        text
    }
}

impl Parts {
    /// The containers that have been prepared, and their parts of GPUs.
    fn containers(&self, view: &View) -> (Vec<Container>, Vec<Slice>) {
        let (mut containers, mut slices) = (Vec::new(), Vec::new());
        for (holding, read) in self.holdings.containers.iter().zip(&self.reads) {
            let reading = match read {
                Ok(None) => continue,
                Ok(Some(reading)) => Some(reading),
                Err(_) => None,
            };
            containers.push(Container {
                names: names(holding),
                processes: reading.map(|reading| reading.processes),
                is_readable: reading.is_some_and(|reading| reading.fault.is_none()),
            });
            for (place, device) in holding.devices.iter().enumerate() {
                slices.push(Slice {
                    names: names(holding),
                    gpu: device.uuid,
                    index: index(view, holding, place),
                    limit: device.memory.bytes(),
                    cores: device.cores,
                    reading: reading.and_then(|reading| reading.gpus.get(place)).copied(),
                    seen: self.seen.of(device.uuid, &holding.owner),
                });
            }
        }
        (containers, slices)
    }
}

/// The place in the driver's order of the GPU at `place` in what a container has.
fn index(view: &View, holding: &Holding, place: usize) -> Option<u32> {
    let uuid = holding.devices.get(place)?.uuid;
    let mut gpus = view.offers.iter().map(|offer| &offer.member.gpu);
    gpus.find(|gpu| gpu.uuid == uuid).map(|gpu| gpu.index)
}

/// Kubelet's names for what it calls.
const ALLOCATE: &str = "Allocate";
const PRE_START: &str = "PreStartContainer";

fn calls<F, C: Cards>(sources: &Sources<F, C>) -> Vec<Call> {
    let prepared = sources.preparer.tally().prepared();
    vec![Call { name: ALLOCATE, count: sources.calls.allocated() }, Call { name: PRE_START, count: prepared }]
}

fn failures<F, C: Cards>(sources: &Sources<F, C>) -> Vec<Failure> {
    let allocate = Failure { call: ALLOCATE, reason: "system", count: sources.calls.failed() };
    let prepare = sources.preparer.tally().failed();
    let prepare = prepare.map(|(reason, count)| Failure { call: PRE_START, reason, count });
    std::iter::once(allocate).chain(prepare).collect()
}
