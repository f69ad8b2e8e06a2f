//! Looking at the machine.

use sim_model::{DeviceIndex, Nanos, ProcessSample, Refusal, Sample, Utilization};

use super::super::answer::now;
use super::Desk;
use crate::protocol::frame::Malformed;
use crate::protocol::{
    GetCondition, GetUtilization, Incidents, Machine, MachineDescription, Memory, ProcessSamples, Processes,
    ReportRequest, Samples,
};

impl Desk {
    pub(super) fn report(&self, request: ReportRequest) -> Result<Vec<u8>, Malformed> {
        match request {
            ReportRequest::Machine(_) => now::<Machine>(Ok(MachineDescription {
                driver_version: self.driver_version.clone(),
                devices: self.found(),
            })),
            ReportRequest::Memory(call) => now::<Memory>(self.machine.memory(call.device)),
            ReportRequest::Processes(call) => now::<Processes>(self.machine.processes(call.device)),
            ReportRequest::GetUtilization(call) => now::<GetUtilization>(self.utilization(call.device)),
            ReportRequest::Samples(call) => now::<Samples>(self.samples(call.device, call.since)),
            ReportRequest::ProcessSamples(call) => {
                now::<ProcessSamples>(self.process_samples(call.device, call.since))
            }
            ReportRequest::GetCondition(call) => now::<GetCondition>(self.condition(call.device)),
            ReportRequest::Incidents(call) => now::<Incidents>(Ok(self.incidents(call.after))),
        }
    }

    fn utilization(&self, device: DeviceIndex) -> Result<Utilization, Refusal> {
        let measured = self.machine.utilization(device)?;
        Ok(self.frozen.unwrap_or(measured))
    }

    fn samples(&self, device: DeviceIndex, since: Nanos) -> Result<Vec<Sample>, Refusal> {
        let mut samples = self.machine.samples(device, since)?;
        for sample in &mut samples {
            sample.utilization = self.frozen.unwrap_or(sample.utilization);
        }
        Ok(samples)
    }

    /// While frozen, every process with a context uses as much as the device does.
    fn process_samples(&self, device: DeviceIndex, since: Nanos) -> Result<Vec<ProcessSample>, Refusal> {
        let Some(utilization) = self.frozen else { return self.machine.process_samples(device, since) };
        let Some(last) = self.machine.samples(device, since)?.pop() else { return Ok(Vec::new()) };
        let processes = self.machine.processes(device)?.into_iter();
        Ok(processes
            .map(|process| ProcessSample { pid: process.pid, time: last.time, utilization })
            .collect())
    }
}
