//! What the machine tells: to NVML, and to the tests that judge by it.

use std::collections::BTreeMap;

use super::Machine;
use crate::memory::Ledger;
use crate::timeline::Engines;
use crate::{
    Bytes, DeviceIndex, DeviceTruth, Nanos, ProcessId, ProcessMemory, ProcessSample, ProcessTruth, Refusal,
    Sample, Truth, Utilization,
};

impl Machine {
    /// Host processes that have a context on the device, by pid.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub fn processes(&self, device: DeviceIndex) -> Result<Vec<ProcessMemory>, Refusal> {
        let truth = self.process_truth(device, self.account(device)?.0);
        let present = truth.into_iter().filter(|process| process.contexts > 0);
        Ok(present.map(|process| ProcessMemory { pid: process.pid, used: process.used }).collect())
    }

    /// Utilisation over the last complete sample window; zero before there is one.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub fn utilization(&self, device: DeviceIndex) -> Result<Utilization, Refusal> {
        let last = self.account(device)?.1.meter.windows().next_back();
        Ok(last.map_or_else(Utilization::default, |window| window.device))
    }

    /// Sample windows that ended after `since`, oldest first, as far as they are remembered.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub fn samples(&self, device: DeviceIndex, since: Nanos) -> Result<Vec<Sample>, Refusal> {
        let windows = self.account(device)?.1.meter.windows().filter(|window| window.end > since);
        Ok(windows.map(|window| Sample { time: window.end, utilization: window.device }).collect())
    }

    /// Use by process over sample windows that ended after `since`, oldest first, as far as they are remembered.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub fn process_samples(&self, device: DeviceIndex, since: Nanos) -> Result<Vec<ProcessSample>, Refusal> {
        let windows = self.account(device)?.1.meter.windows().filter(|window| window.end > since);
        let samples = windows.flat_map(|window| {
            let mut uses = BTreeMap::<u32, Utilization>::new();
            for (process, used) in &window.processes {
                if let Some(pid) = self.pid(*process) {
                    let sum = uses.entry(pid).or_default();
                    sum.gpu = (sum.gpu + used.gpu).min(100);
                    sum.memory = (sum.memory + used.memory).min(100);
                }
            }
            uses.into_iter().map(|(pid, utilization)| ProcessSample { pid, time: window.end, utilization })
        });
        Ok(samples.collect())
    }

    /// What really happened.
    #[must_use]
    pub fn truth(&self) -> Truth {
        let mut truth = Truth { now: self.now(), devices: Vec::new(), processes: Vec::new() };
        for device in self.devices.iter().map(|device| device.index) {
            if let Ok((ledger, engines)) = self.account(device) {
                truth.devices.push(device_truth(device, ledger, engines));
                truth.processes.extend(self.process_truth(device, ledger));
            }
        }
        truth
    }

    fn account(&self, device: DeviceIndex) -> Result<(&Ledger, &Engines), Refusal> {
        let found = self.memory.ledger(device).zip(self.timeline.engines(device));
        found.ok_or(Refusal::InvalidDevice)
    }

    fn pid(&self, process: ProcessId) -> Option<u32> {
        self.processes.get(&process).map(|process| process.pid)
    }

    /// What each host process holds and did, all users that it is taken together.
    fn process_truth(&self, device: DeviceIndex, ledger: &Ledger) -> Vec<ProcessTruth> {
        let mut by_pid = BTreeMap::<u32, ProcessTruth>::new();
        for (process, held) in ledger.holdings() {
            let Some(pid) = self.pid(process) else { continue };
            let truth = by_pid.entry(pid).or_insert_with(|| nothing(device, pid));
            truth.requested += held.requested;
            truth.managed += held.managed;
            truth.pooled += held.pooled;
            truth.graphs += held.graphs;
            truth.used += held.used;
            truth.contexts += held.contexts;
            if let Some(engines) = self.timeline.engines(device) {
                let done = engines.meter.of(process);
                truth.busy += done.busy;
                truth.kernels += done.kernels;
            }
        }
        by_pid.into_values().collect()
    }
}

fn nothing(device: DeviceIndex, pid: u32) -> ProcessTruth {
    ProcessTruth {
        device,
        pid,
        requested: Bytes::ZERO,
        managed: Bytes::ZERO,
        pooled: Bytes::ZERO,
        graphs: Bytes::ZERO,
        used: Bytes::ZERO,
        contexts: 0,
        kernels: 0,
        busy: Nanos::ZERO,
    }
}

fn device_truth(device: DeviceIndex, ledger: &Ledger, engines: &Engines) -> DeviceTruth {
    let done = engines.meter.total();
    DeviceTruth {
        device,
        requested: ledger.requested.now,
        requested_peak: ledger.requested.peak,
        managed: ledger.managed.now,
        managed_peak: ledger.managed.peak,
        pooled: ledger.pooled.now,
        pooled_peak: ledger.pooled.peak,
        graphs: ledger.graphs.now,
        code: ledger.code.now,
        runtime: ledger.runtime.now,
        overhead: ledger.overhead,
        charged: ledger.charged.now,
        charged_peak: ledger.charged.peak,
        resident: ledger.resident.now,
        resident_peak: ledger.resident.peak,
        managed_resident: ledger.managed_resident,
        allocations: ledger.allocations,
        contexts: ledger.contexts,
        granted: ledger.granted,
        refused: ledger.refused,
        kernels: done.kernels,
        busy: done.busy,
    }
}
