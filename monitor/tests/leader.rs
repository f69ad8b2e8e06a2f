//! Who is the owner of balance and priorities among the slices of a directory, and who is the next.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use contract::limits_page::{Entry, Page, SharePolicy, effective_word};
use contract::{Percent, Uuid, paths};
use monitor::runs::{Run, Runs};
use monitor::shares::{Candidate, now};
use policy::compute::Nanos;
use shared_region::{Member, Region};

const GPU: Uuid = Uuid([7; 16]);

/// A slice that asks for balance, and its process.
struct Tenant {
    run: Run,
    process: Member,
}

impl Tenant {
    /// Starts one in `dir`.
    fn start(dir: &Path) -> Self {
        let runs = Runs::at(dir.to_owned()).expect("a private directory");
        let entry = Entry { cores: Percent::new(30), policy: SharePolicy::Balance, ..Entry::unlimited(GPU) };
        let run = runs.start(&Page::new(vec![entry]).expect("one entry")).expect("a slice");
        let process = Region::open(&run.region()).expect("a region").join().expect("a slot");
        Self { run, process }
    }

    /// The word of what it is allowed at the moment, when it wants more than it has.
    fn allowed(&self) -> u64 {
        let device = Region::open(&self.run.region()).expect("a region").device(GPU).expect("an entry");
        let stats = self.process.compute(device).expect("a member").stats;
        stats.launched(1, now());
        stats.begin_wait();
        stats.end_wait(Nanos(1));
        let bytes = fs::read(paths::limits_file(&self.run.limits_dir())).expect("a limits page");
        u64::from_le_bytes(bytes.as_chunks().0[effective_word(0)])
    }
}

const LEAD: &str = "LEADER_TEST_DIR";

/// Not a test of its own: the process that [`a_leader_that_is_killed_is_followed_by_the_next`] kills.
#[test]
fn leads_if_told_to() {
    let Some(dir) = std::env::var_os(LEAD) else { return };
    let candidate = Candidate::new(Runs::at(PathBuf::from(dir)).expect("a directory")).expect("a lock");
    let mut leader = candidate.wait().expect("the lock");
    println!("leads");
    loop {
        leader.look();
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn start_leader(dir: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut leader = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "leads_if_told_to", "--nocapture"])
        .env(LEAD, dir)
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let output = BufReader::new(leader.stdout.take().expect("a pipe"));
    (leader, output)
}

fn until_it_leads(output: &mut BufReader<ChildStdout>) {
    let mut line = String::new();
    while !line.ends_with("leads\n") {
        line.clear();
        assert!(output.read_line(&mut line).expect("readable") > 0, "it has ended");
    }
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}: not within a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_leader_that_is_killed_is_followed_by_the_next() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let dir = home.path().join("vgpu");
    let tenant = Tenant::start(&dir);
    let (mut first, mut output) = start_leader(&dir);
    until_it_leads(&mut output);
    until("the slice is allowed something", || tenant.allowed() != 0);
    let (mut second, mut second_output) = start_leader(&dir);
    first.kill().expect("killed");
    first.wait().expect("waited for");
    until_it_leads(&mut second_output);
    let before = tenant.allowed();
    until("what it is allowed is renewed", || tenant.allowed() != before);
    // A slice that comes later is found.
    let late = Tenant::start(&dir);
    until("the new slice is allowed something", || late.allowed() != 0);
    second.kill().expect("killed");
    second.wait().expect("waited for");
}
