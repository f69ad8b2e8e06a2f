//! Who writes the limits page of a test's container, and changes it while programs run.

use crate::machine::Machine;
use crate::run::Run;
use contract::limits_page::{Entry, Page};
use contract::{Bytes, Percent, Uuid, env, paths};
use shared_region::LimitsFile;
use std::path::PathBuf;

/// Limits the GPUs of a machine, all alike.
pub(crate) struct Supervisor {
    directory: PathBuf,
    gpus: Vec<Uuid>,
}

impl Supervisor {
    /// Its page will be in the directory `limits` of the test.
    pub(crate) fn of(machine: &Machine) -> Self {
        Self::at(machine, "limits")
    }

    /// Its page will be in the directory of the test with this name.
    pub(crate) fn at(machine: &Machine, directory: &str) -> Self {
        Self { directory: machine.path(directory), gpus: machine.gpus() }
    }

    /// Where the page is.
    pub(crate) fn file(&self) -> PathBuf {
        paths::limits_file(&self.directory)
    }

    /// A page that gives so many bytes of each GPU; `None`: no limit.
    pub(crate) fn memory(&self, bytes: Option<u64>) -> Page {
        self.page(|entry| Entry { memory: bytes.map(Bytes), ..entry })
    }

    /// A page that gives so many percent of each GPU's time; `None`: no limit.
    pub(crate) fn share(&self, percent: Option<u8>) -> Page {
        let cores = percent.map(|percent| Percent::new(percent).unwrap());
        self.page(|entry| Entry { cores, ..entry })
    }

    /// A page of what `limited` makes of a GPU without limits.
    fn page(&self, limited: impl Fn(Entry) -> Entry) -> Page {
        Page::new(self.gpus.iter().map(|gpu| limited(Entry::unlimited(*gpu))).collect()).unwrap()
    }

    /// Puts this in the place of the page, before anybody has it mapped.
    pub(crate) fn write(&self, content: &[u8]) {
        std::fs::create_dir_all(&self.directory).unwrap();
        std::fs::write(self.file(), content).unwrap();
    }

    /// Writes the page for the first time.
    pub(crate) fn publish(&self, page: &Page) {
        self.write(&page.encode());
    }

    /// Changes the page that tenants have mapped.
    pub(crate) fn change(&self, page: &Page) {
        LimitsFile::open(&self.file()).unwrap().replace(page).unwrap();
    }

    /// `run` where the page is in force.
    pub(crate) fn over(&self, run: Run) -> Run {
        run.env(env::LIMITS_DIR, &self.directory)
    }
}
