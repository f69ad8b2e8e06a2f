//! What is held on one device and by whom: the figures that tests judge by.

use std::collections::BTreeMap;

use crate::{Bytes, ProcessId};

/// A quantity and the highest value it ever had.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gauge {
    pub(crate) now: Bytes,
    pub(crate) peak: Bytes,
}

impl Gauge {
    pub(super) fn rise(&mut self, by: Bytes) {
        self.now += by;
        self.peak = self.peak.max(self.now);
    }

    pub(super) fn fall(&mut self, by: Bytes) {
        self.now -= by;
    }

    pub(super) fn set(&mut self, to: Bytes) {
        self.now = to;
        self.peak = self.peak.max(to);
    }
}

/// What one process holds on one device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holding {
    pub(crate) requested: Bytes,
    pub(crate) managed: Bytes,
    pub(crate) pooled: Bytes,
    pub(crate) graphs: Bytes,
    pub(crate) code: Bytes,
    pub(crate) runtime: Bytes,
    /// Device memory: whole chunks and the overhead of contexts, without managed memory.
    pub(crate) used: Bytes,
    pub(crate) contexts: u64,
}

/// An allocation as the ledger sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Charge {
    pub(crate) process: ProcessId,
    pub(crate) bytes: Bytes,
    pub(crate) class: Class,
}

/// What an allocation is, hence where its bytes are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Linear and pitched memory.
    Requested,
    /// Managed memory.
    Managed,
    /// Code and variables of modules.
    Code,
    /// What kernels need beyond what every context has.
    Runtime,
    /// Memory of a pool: its bytes are counted when the pool takes them, not again here.
    Pooled,
}

/// The account of one device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) requested: Gauge,
    pub(crate) managed: Gauge,
    /// What pools have reserved.
    pub(crate) pooled: Gauge,
    /// What is reserved for memory of graphs.
    pub(crate) graphs: Gauge,
    /// Code and variables of modules.
    pub(crate) code: Gauge,
    /// What kernels need beyond what every context has.
    pub(crate) runtime: Gauge,
    pub(crate) charged: Gauge,
    pub(crate) resident: Gauge,
    pub(crate) overhead: Bytes,
    pub(crate) managed_resident: Bytes,
    pub(crate) allocations: u64,
    pub(crate) contexts: u64,
    pub(crate) granted: u64,
    pub(crate) refused: u64,
    holdings: BTreeMap<ProcessId, Holding>,
}

impl Class {
    /// Whether a limit has to hold it before it is granted: code is charged when it is seen.
    fn is_charged(self) -> bool {
        matches!(self, Self::Requested | Self::Managed)
    }
}

impl Ledger {
    /// What each process that holds anything here holds, by process.
    pub(crate) fn holdings(&self) -> impl Iterator<Item = (ProcessId, Holding)> + '_ {
        self.holdings.iter().map(|(process, holding)| (*process, *holding))
    }

    /// An allocation was granted.
    pub(super) fn charge(&mut self, charge: Charge) {
        let holding = self.holdings.entry(charge.process).or_default();
        let account = match charge.class {
            Class::Requested => Some((&mut self.requested, &mut holding.requested)),
            Class::Managed => Some((&mut self.managed, &mut holding.managed)),
            Class::Code => Some((&mut self.code, &mut holding.code)),
            Class::Runtime => Some((&mut self.runtime, &mut holding.runtime)),
            Class::Pooled => None,
        };
        if let Some((gauge, held)) = account {
            gauge.rise(charge.bytes);
            *held += charge.bytes;
            if charge.class.is_charged() {
                self.charged.rise(charge.bytes);
            }
        }
        self.allocations += 1;
        self.granted += 1;
    }

    /// An allocation ended.
    pub(super) fn refund(&mut self, charge: Charge) {
        self.change(charge.process, |holding| match charge.class {
            Class::Requested => holding.requested -= charge.bytes,
            Class::Managed => holding.managed -= charge.bytes,
            Class::Code => holding.code -= charge.bytes,
            Class::Runtime => holding.runtime -= charge.bytes,
            Class::Pooled => {}
        });
        match charge.class {
            Class::Requested => self.requested.fall(charge.bytes),
            Class::Managed => self.managed.fall(charge.bytes),
            Class::Code => self.code.fall(charge.bytes),
            Class::Runtime => self.runtime.fall(charge.bytes),
            Class::Pooled => {}
        }
        if charge.class.is_charged() {
            self.charged.fall(charge.bytes);
        }
        self.allocations -= 1;
    }

    /// A pool grew; the memory itself is taken with [`Ledger::take`].
    pub(super) fn reserve(&mut self, process: ProcessId, bytes: Bytes) {
        self.holdings.entry(process).or_default().pooled += bytes;
        self.pooled.rise(bytes);
        self.charged.rise(bytes);
    }

    /// A pool shrank.
    pub(super) fn unreserve(&mut self, process: ProcessId, bytes: Bytes) {
        self.change(process, |holding| holding.pooled -= bytes);
        self.pooled.fall(bytes);
        self.charged.fall(bytes);
    }

    /// What is reserved for graphs grew; the memory itself is taken with [`Ledger::take`].
    pub(super) fn reserve_for_graphs(&mut self, process: ProcessId, bytes: Bytes) {
        self.holdings.entry(process).or_default().graphs += bytes;
        self.graphs.rise(bytes);
        self.charged.rise(bytes);
    }

    /// What is reserved for graphs shrank.
    pub(super) fn unreserve_of_graphs(&mut self, process: ProcessId, bytes: Bytes) {
        self.change(process, |holding| holding.graphs -= bytes);
        self.graphs.fall(bytes);
        self.charged.fall(bytes);
    }

    /// A context began; its overhead is taken with [`Ledger::take`].
    pub(super) fn open(&mut self, process: ProcessId, overhead: Bytes) {
        self.holdings.entry(process).or_default().contexts += 1;
        self.contexts += 1;
        self.overhead += overhead;
        self.charged.rise(overhead);
    }

    /// A context ended.
    pub(super) fn close(&mut self, process: ProcessId, overhead: Bytes) {
        self.change(process, |holding| holding.contexts -= 1);
        self.contexts -= 1;
        self.overhead -= overhead;
        self.charged.fall(overhead);
    }

    /// Device memory went to a process.
    pub(super) fn take(&mut self, process: ProcessId, bytes: Bytes) {
        self.holdings.entry(process).or_default().used += bytes;
        self.resident.rise(bytes);
    }

    /// Device memory came back from a process.
    pub(super) fn give_back(&mut self, process: ProcessId, bytes: Bytes) {
        self.change(process, |holding| holding.used -= bytes);
        self.resident.fall(bytes);
    }

    /// Memory that one process has let go of, and what was asked for it, is another one's from now on.
    pub(super) fn hand_over(&mut self, charge: Charge, bytes: Bytes, to: ProcessId) {
        let requested = if charge.class == Class::Requested { charge.bytes } else { Bytes::ZERO };
        for (process, sign) in [(charge.process, false), (to, true)] {
            self.change(process, |holding| {
                let figures = [(&mut holding.used, bytes), (&mut holding.requested, requested)];
                for (figure, bytes) in figures {
                    *figure = if sign { *figure + bytes } else { *figure - bytes };
                }
            });
        }
    }

    /// Managed memory came to the device.
    pub(super) fn page_in(&mut self, bytes: Bytes) {
        self.managed_resident += bytes;
        self.resident.rise(bytes);
    }

    /// Managed memory left the device.
    pub(super) fn page_out(&mut self, bytes: Bytes) {
        self.managed_resident -= bytes;
        self.resident.fall(bytes);
    }

    fn change(&mut self, process: ProcessId, change: impl FnOnce(&mut Holding)) {
        let holding = self.holdings.entry(process).or_default();
        change(holding);
        if *holding == Holding::default() {
            self.holdings.remove(&process);
        }
    }
}
