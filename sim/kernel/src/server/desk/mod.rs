//! Where requests are answered: the machine, and what tests have told it to do.

mod conditions;
mod graphs;
mod memory;
mod observe;
mod physical;
mod pools;
mod report;
mod work;

use std::collections::BTreeMap;

use sim_model::{ConfigError, Machine, MachineConfig, Nanos, ProcessId, Refusal, Utilization};

use super::answer::{Answer, refuse};
use super::store::Store;
use crate::protocol::frame::Malformed;
use crate::protocol::{Exported, Injection, Kind, Request, Subject};
use conditions::Conditions;

/// The machine with the interferences of observers.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) machine: Machine,
    driver_version: Option<String>,
    /// What utilisation and its samples tell, if not what they measure.
    pub(super) frozen: Option<Utilization>,
    injections: Vec<Injection>,
    conditions: Conditions,
    /// Until when NVML gets no answer.
    pub(super) hangs_until: Nanos,
    /// What descriptors stand for, by what the kernel calls them.
    descriptors: BTreeMap<u64, Exported>,
    store: Store,
}

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asker {
    pub(super) kind: Kind,
    pub(super) process: Option<ProcessId>,
}

impl Desk {
    pub(super) fn new(config: &MachineConfig, now: Nanos) -> Result<Self, ConfigError> {
        let machine = Machine::new(config, now)?;
        let driver_version = config.driver_version.clone();
        Ok(Self {
            machine,
            driver_version,
            frozen: None,
            injections: Vec::new(),
            conditions: Conditions::default(),
            hangs_until: Nanos(0),
            descriptors: BTreeMap::new(),
            store: Store::default(),
        })
    }

    /// Answers a request, or says what the answer waits for. The machine's time is the present.
    pub(super) fn answer(&mut self, asker: Asker, request: Request) -> Result<Answer, Malformed> {
        match (request, asker.process) {
            (Request::Report(request), _) => self.report(request).map(Answer::Now),
            (Request::Memory(request), Some(process)) => self.memory(process, request).map(Answer::Now),
            (Request::Pool(request), Some(process)) => self.pools(process, request).map(Answer::Now),
            (Request::Graph(request), Some(process)) => self.graphs(process, request).map(Answer::Now),
            (Request::Physical(request), Some(process)) => self.physical(process, request),
            (Request::Work(request), Some(process)) => self.work(process, request),
            (Request::Observe(request), _) if asker.kind == Kind::Observer => {
                self.observe(request).map(Answer::Now)
            }
            _ => refuse(Refusal::NotPermitted).map(Answer::Now),
        }
    }

    /// Lets a request of this subject fail if that was asked for.
    fn interfere(&mut self, subject: Subject) -> Result<(), Refusal> {
        let mut due = None;
        for (at, injection) in self.injections.iter_mut().enumerate().filter(|(_, of)| of.subject == subject)
        {
            match injection.after.checked_sub(1) {
                Some(left) => injection.after = left,
                None if due.is_none() => due = Some(at),
                None => {}
            }
        }
        due.map_or(Ok(()), |at| Err(self.injections.remove(at).refusal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_injected_fault_happens_once_at_its_turn() {
        let mut desk = Desk::new(&MachineConfig::default(), Nanos(0)).expect("the default machine");
        let refusal = Refusal::EccUncorrectable;
        desk.injections.push(Injection { subject: Subject::Allocate, after: 1, refusal });
        assert_eq!(desk.interfere(Subject::CreateContext), Ok(()));
        assert_eq!(desk.interfere(Subject::Allocate), Ok(()));
        assert_eq!(desk.interfere(Subject::Allocate), Err(refusal));
        assert_eq!(desk.interfere(Subject::Allocate), Ok(()));
    }
}
