//! Programs that launch without end.

use crate::machine::Machine;
use crate::run::Run;
use crate::stage;
use contract::env;
use std::io::Read;
use std::process::{Child, Command};

/// A running `launcher`. It is killed when it is dropped.
pub(super) struct Tenant(Child);

/// A `launcher` of this workload behind the library, without a limit.
pub(super) fn launcher(machine: &Machine, workload: &str) -> Run {
    let run = Run::preloaded(stage::file("bin/launcher"));
    machine.on(run).arg(workload).arg("--seconds").arg("0")
}

/// `run` in the container of this name, which has so many percent of each GPU's time.
pub(super) fn in_slice(machine: &Machine, run: Run, name: &str, percent: u8) -> Run {
    run.env(env::SM_LIMIT, percent.to_string()).env(env::REGION, machine.path(name))
}

impl Tenant {
    pub(super) fn start(run: Run) -> Self {
        Self(run.start())
    }

    pub(super) fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Sends a signal by its name.
    pub(super) fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.pid().to_string()).status();
        assert!(sent.unwrap().success(), "{name}");
    }
}

impl Drop for Tenant {
    /// Says why it has ended if it has, which nobody wanted.
    fn drop(&mut self) {
        let ended = self.0.try_wait().unwrap();
        // Whoever waits for a child that has ended is told so again.
        let _ = self.0.kill();
        let _ = self.0.wait();
        if let Some(status) = ended {
            let mut errors = String::new();
            let _ = self.0.stderr.take().map(|mut stream| stream.read_to_string(&mut errors));
            println!("a tenant has ended by itself: {status}, {errors}");
        }
    }
}
