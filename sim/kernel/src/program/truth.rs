//! Printing what really happened, for shell and Python tests to judge by.

use std::io::{self, BufRead, Write};

use sim_model::{DeviceTruth, ProcessTruth, Truth};

use super::arguments::Arguments;
use crate::{Client, ConnectOptions, Kind};

/// Prints the truth as lines of a key and a number.
pub(super) fn run(arguments: &Arguments) -> Result<(), String> {
    print(&connect(arguments)?)
}

/// Prints the truth and an empty line for each line of standard input.
pub(super) fn watch(arguments: &Arguments) -> Result<(), String> {
    let client = connect(arguments)?;
    for line in io::stdin().lock().lines() {
        line.map_err(|error| error.to_string())?;
        print(&client)?;
        io::stdout().write_all(b"\n").map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// A connection that may do anything to a machine that runs.
pub(super) fn connect(arguments: &Arguments) -> Result<Client, String> {
    let socket = arguments.socket.clone();
    let options = ConnectOptions { kind: Kind::Observer, socket, program: None, config: None, devices: None };
    Client::connect(&options).map_err(|error| error.to_string())
}

fn print(client: &Client) -> Result<(), String> {
    let truth = client.truth().map_err(|fault| fault.to_string())?;
    io::stdout().write_all(render(&truth).as_bytes()).map_err(|error| error.to_string())
}

/// Keys are `now`, `device.<index>.<figure>` and `device.<index>.process.<pid>.<figure>`. Bytes and nanoseconds.
fn render(truth: &Truth) -> String {
    let mut lines = vec![format!("now {}", truth.now.0)];
    for device in &truth.devices {
        let index = device.device;
        let figures = of_device(device);
        lines.extend(figures.map(|(name, value)| format!("device.{index}.{name} {value}")));
    }
    for process in &truth.processes {
        let prefix = format!("device.{}.process.{}", process.device, process.pid);
        let figures = of_process(process);
        lines.extend(figures.map(|(name, value)| format!("{prefix}.{name} {value}")));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn of_device(device: &DeviceTruth) -> [(&'static str, u64); 21] {
    [
        ("requested", device.requested.0),
        ("requested_peak", device.requested_peak.0),
        ("managed", device.managed.0),
        ("managed_peak", device.managed_peak.0),
        ("pooled", device.pooled.0),
        ("pooled_peak", device.pooled_peak.0),
        ("graphs", device.graphs.0),
        ("code", device.code.0),
        ("runtime", device.runtime.0),
        ("overhead", device.overhead.0),
        ("charged", device.charged.0),
        ("charged_peak", device.charged_peak.0),
        ("resident", device.resident.0),
        ("resident_peak", device.resident_peak.0),
        ("managed_resident", device.managed_resident.0),
        ("allocations", device.allocations),
        ("contexts", device.contexts),
        ("granted", device.granted),
        ("refused", device.refused),
        ("kernels", device.kernels),
        ("busy", device.busy.0),
    ]
}

fn of_process(process: &ProcessTruth) -> [(&'static str, u64); 8] {
    [
        ("requested", process.requested.0),
        ("managed", process.managed.0),
        ("pooled", process.pooled.0),
        ("graphs", process.graphs.0),
        ("used", process.used.0),
        ("contexts", process.contexts),
        ("kernels", process.kernels),
        ("busy", process.busy.0),
    ]
}

#[cfg(test)]
mod tests {
    use sim_model::{DeviceIndex, Machine, MachineConfig, Nanos};

    use super::*;

    #[test]
    fn every_line_is_a_key_and_a_number() {
        let mut machine = Machine::new(&MachineConfig::default(), Nanos(5)).expect("the default machine");
        let process = machine.attach(77);
        machine.create_context(process, DeviceIndex(0)).expect("room");
        let text = render(&machine.truth());
        assert!(text.starts_with("now 5\ndevice.0.requested 0\n"), "{text}");
        assert!(text.contains("\ndevice.0.process.77.used 446693376\n"), "{text}");
        for line in text.lines() {
            let (key, value) = line.split_once(' ').expect("a key and a value");
            assert!(!key.is_empty() && value.parse::<u64>().is_ok(), "{line}");
        }
    }
}
