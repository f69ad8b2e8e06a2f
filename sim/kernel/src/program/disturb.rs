//! Doing something to a machine while it runs: `0:xid=79`, `1:lost`, `hang=30`.

use sim_model::{DeviceIndex, Nanos};

use super::arguments::Arguments;
use super::truth::connect;
use crate::{Client, Disturbance, Presence};

/// What a fault that makes no sense is told.
const FAULTS: &str = "give DEVICE:xid=N, DEVICE:present, DEVICE:lost, DEVICE:absent, DEVICE:errors=N, DEVICE:remap=failed|well, \
     DEVICE:mig=on|off, or hang=SECONDS";

/// A change of what is told of one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Xid(u64),
    Presence(Presence),
    Errors(u64),
    Remap(bool),
    Mig(bool),
}

/// Does to the machine what the argument says.
pub(super) fn run(arguments: &Arguments) -> Result<(), String> {
    let text = arguments.fault.as_deref().ok_or_else(|| format!("--fault is missing: {FAULTS}"))?;
    let wrong = || format!("--fault = {text}: {FAULTS}");
    if let Some(seconds) = text.strip_prefix("hang=") {
        let seconds: u64 = seconds.parse().map_err(|_| wrong())?;
        let time = Nanos::from_millis(seconds.checked_mul(1000).ok_or_else(wrong)?);
        return said(connect(arguments)?.disturb(Disturbance::Hang(time)));
    }
    let (device, change) = parse(text).ok_or_else(wrong)?;
    let client = connect(arguments)?;
    said(client.disturb(disturbance(&client, device, change)?))
}

fn parse(text: &str) -> Option<(DeviceIndex, Change)> {
    let (device, what) = text.split_once(':')?;
    let change = match what.split_once('=').unwrap_or((what, "")) {
        ("xid", number) => Change::Xid(number.parse().ok()?),
        ("present", "") => Change::Presence(Presence::Present),
        ("lost", "") => Change::Presence(Presence::Lost),
        ("absent", "") => Change::Presence(Presence::Absent),
        ("errors", number) => Change::Errors(number.parse().ok()?),
        ("remap", "failed") => Change::Remap(true),
        ("remap", "well") => Change::Remap(false),
        ("mig", "on") => Change::Mig(true),
        ("mig", "off") => Change::Mig(false),
        _ => return None,
    };
    Some((DeviceIndex(device.parse().ok()?), change))
}

/// The change, with all the rest of the device's condition as it is.
fn disturbance(client: &Client, device: DeviceIndex, change: Change) -> Result<Disturbance, String> {
    let mut condition = client.condition(device).map_err(|fault| format!("device {device}: {fault}"))?;
    match change {
        Change::Xid(number) => return Ok(Disturbance::Xid(device, number)),
        Change::Presence(presence) => condition.presence = presence,
        Change::Errors(count) => condition.uncorrectable_errors = count,
        Change::Remap(failed) => condition.remap_failed = failed,
        Change::Mig(on) => condition.mig = on,
    }
    Ok(Disturbance::Condition(device, condition))
}

fn said(answer: Result<(), crate::Fault>) -> Result<(), String> {
    answer.map_err(|fault| fault.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_of_a_device() {
        assert_eq!(parse("0:xid=79"), Some((DeviceIndex(0), Change::Xid(79))));
        assert_eq!(parse("3:absent"), Some((DeviceIndex(3), Change::Presence(Presence::Absent))));
        assert_eq!(parse("1:remap=failed"), Some((DeviceIndex(1), Change::Remap(true))));
        for text in ["", "xid=79", "0:xid", "0:xid=", "0:lost=1", "x:lost", "0:mig=maybe", "0:"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
