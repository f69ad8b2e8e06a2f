//! The limits page, which a supervisor writes and changes.

use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::{Memory, OUT_OF_MEMORY, Puppet};
use crate::run::Run;
use crate::stage;
use contract::limits_page::{Entry, Page};
use contract::{Bytes, Uuid, env, paths};
use shared_region::LimitsFile;
use std::path::PathBuf;
use std::time::Duration;

/// A supervisor of the container of a test, with a machine of one GPU.
struct Supervisor {
    machine: Machine,
    gpu: Uuid,
}

impl Supervisor {
    fn new() -> Self {
        let machine = Machine::new();
        let gpu = machine.gpu();
        Self { machine, gpu }
    }

    fn directory(&self) -> PathBuf {
        self.machine.path("limits")
    }

    fn file(&self) -> PathBuf {
        paths::limits_file(&self.directory())
    }

    fn page(&self, memory: Option<u64>) -> Page {
        Page::new(vec![Entry { memory: memory.map(Bytes), ..Entry::unlimited(self.gpu) }]).unwrap()
    }

    /// Writes the page for the first time.
    fn publish(&self, page: &Page) {
        std::fs::create_dir_all(self.directory()).unwrap();
        std::fs::write(self.file(), page.encode()).unwrap();
    }

    /// Changes the page that tenants have mapped.
    fn change(&self, memory: Option<u64>) {
        LimitsFile::open(&self.file()).unwrap().replace(&self.page(memory)).unwrap();
    }

    fn tenant(&self) -> Run {
        self.machine.tenant().env(env::LIMITS_DIR, self.directory())
    }
}

#[test]
fn the_page_limits_without_a_word_in_the_environment() {
    let supervisor = Supervisor::new();
    supervisor.publish(&supervisor.page(Some(GIB)));
    let mut tenant = Puppet::with_context(supervisor.tenant());
    assert_eq!(tenant.memory(), Memory { free: GIB - CONTEXT, total: GIB });
    assert_eq!(tenant.allocate(GIB - CONTEXT + 1), Err(OUT_OF_MEMORY));
}

#[test]
fn the_environment_can_tighten_the_page_and_not_loosen_it() {
    let supervisor = Supervisor::new();
    supervisor.publish(&supervisor.page(Some(2 * GIB)));
    for (value, total) in [("1g", GIB), ("3g", 2 * GIB), ("0", 2 * GIB)] {
        let mut tenant = Puppet::with_context(supervisor.tenant().env(env::MEMORY_LIMIT, value));
        assert_eq!(tenant.memory().total, total, "{value}");
    }
}

#[test]
fn a_change_of_the_page_is_in_force_at_the_next_call() {
    let supervisor = Supervisor::new();
    supervisor.publish(&supervisor.page(Some(GIB)));
    let mut tenant = Puppet::with_context(supervisor.tenant());
    assert_eq!(tenant.allocate(GIB), Err(OUT_OF_MEMORY));
    supervisor.change(Some(2 * GIB));
    let address = tenant.allocate(GIB).unwrap();
    supervisor.change(Some(GIB));
    assert_eq!(tenant.memory(), Memory { free: 0, total: GIB });
    // Over its limit now, it is refused everything new and may free.
    assert_eq!(tenant.allocate(1), Err(OUT_OF_MEMORY));
    tenant.free(address);
    assert!(tenant.allocate(GIB - CONTEXT).is_ok());
}

#[test]
fn limits_that_go_up_and_down_while_processes_race_and_die_are_kept() {
    let supervisor = Supervisor::new();
    supervisor.publish(&supervisor.page(Some(4 * GIB)));
    let storm = Run::preloaded(stage::file("bin/storm"))
        .env(env::REGION, supervisor.machine.path("region"))
        .env(env::LIMITS_DIR, supervisor.directory());
    let arguments = ["--workers", "8", "--requests", "20000", "--cap", "2147483648", "--piece", "268435456"];
    let storm = arguments.iter().fold(supervisor.machine.on(storm), |run, argument| run.arg(argument));
    let output = std::thread::scope(|scope| {
        let storm = scope.spawn(|| storm.output());
        for limit in [8, 4, 2, 6, 1].into_iter().cycle() {
            if storm.is_finished() {
                break;
            }
            supervisor.change(Some(limit * GIB));
            std::thread::sleep(Duration::from_millis(1));
        }
        storm.join().unwrap()
    });
    assert!(output.contains(" 0 surprises") && !output.contains(" 0 granted"), "{output}");
    let truth = supervisor.machine.truth();
    assert!(truth["device.0.charged_peak"] <= 8 * GIB, "{truth:?}");
    assert_eq!(truth["device.0.refused"], 0);
    supervisor.change(Some(GIB));
    let mut tenant = Puppet::with_context(supervisor.tenant());
    assert_eq!(tenant.memory(), Memory { free: GIB - CONTEXT, total: GIB });
}

#[test]
fn what_was_allocated_without_a_limit_counts_when_one_comes() {
    let supervisor = Supervisor::new();
    supervisor.publish(&supervisor.page(None));
    let mut tenant = Puppet::with_context(supervisor.tenant());
    tenant.allocate(100 * MIB).unwrap();
    assert!(tenant.memory().total > 70 * GIB);
    supervisor.change(Some(GIB));
    assert_eq!(tenant.memory(), Memory { free: GIB - CONTEXT - 100 * MIB, total: GIB });
}

#[test]
fn a_gpu_that_is_not_on_the_page_is_an_empty_slice() {
    let supervisor = Supervisor::new();
    supervisor.publish(&Page::new(Vec::new()).unwrap());
    let mut tenant = Puppet::start(supervisor.tenant());
    assert_eq!(tenant.ask("cuInit 0"), "0");
    assert_eq!(tenant.ask("cuCtxCreate_v2 out 0 0"), "2");
    assert_eq!(tenant.ask("cuDevicePrimaryCtxRetain out 0"), "2");
    assert_eq!(supervisor.machine.truth()["device.0.contexts"], 0);
}

#[test]
fn a_page_that_cannot_be_read_lets_nothing_start() {
    let supervisor = Supervisor::new();
    let page = supervisor.page(Some(GIB)).encode();
    for (what, content) in [("cut short", &page[..100]), ("nothing", &[]), ("rubbish", &[7; 4096])] {
        std::fs::create_dir_all(supervisor.directory()).unwrap();
        std::fs::write(supervisor.file(), content).unwrap();
        let mut tenant = Puppet::start(supervisor.tenant());
        assert_eq!([tenant.ask("cuInit 0"), tenant.ask("nvmlInit_v2")], ["802", "999"], "{what}");
        let (_, errors) = tenant.end();
        assert_eq!(errors.lines().count(), 1, "{what}: {errors}");
        assert!(errors.contains(supervisor.file().to_str().unwrap()), "{what}: {errors}");
    }
}

#[test]
fn a_directory_without_a_page_lets_nothing_start() {
    let supervisor = Supervisor::new();
    let mut tenant = Puppet::start(supervisor.tenant());
    assert_eq!(tenant.ask("cuInit 0"), "802");
}
