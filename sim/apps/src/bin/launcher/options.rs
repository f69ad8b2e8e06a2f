//! The command line.

use crate::workload::{ALL, Plan, Workload};

/// What to play, and for how long.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) plan: Plan,
    /// 0: without end.
    pub(crate) seconds: u64,
}

impl Options {
    /// # Errors
    /// What is wrong, and with which argument.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let name = arguments.next().ok_or_else(usage)?;
        let workload =
            Workload::named(&name).ok_or_else(|| format!("{name}: no such workload; {}", usage()))?;
        let mut options = Self { plan: workload.plan(), seconds: 10 };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name}: give a number"))?;
            let number = value.parse().map_err(|error| format!("{name} {value}: {error}"))?;
            options.set(&name, number)?;
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, number: u64) -> Result<(), String> {
        let count = || usize::try_from(number).map_err(|error| format!("{name} {number}: {error}"));
        match (name, number) {
            ("--seconds", _) => self.seconds = number,
            ("--us" | "--threads", 0) => return Err(format!("{name} 0: give at least 1")),
            ("--us", _) => self.plan.durations_us.fill(number),
            ("--threads", _) => self.plan.threads = count()?,
            ("--streams", _) => self.plan.streams = count()?,
            ("--idle-us", _) => self.plan.idle_us = number,
            _ => return Err(format!("{name}: no such argument; {}", usage())),
        }
        Ok(())
    }
}

fn usage() -> String {
    let workloads = ALL.iter().map(|workload| format!("\n  {:12} {}", workload.name, workload.about));
    format!(
        "usage: launcher WORKLOAD [--seconds N] [--us N] [--threads N] [--streams N] [--idle-us N], where WORKLOAD is{}",
        workloads.collect::<String>()
    )
}
