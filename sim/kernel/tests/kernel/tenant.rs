//! Other processes: this test program, run again to be a tenant of a machine.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use sim_kernel::{Bytes, Client, ConnectOptions, Kind, Nanos};

use super::bed::{Bed, DEVICE, kernel, linear};

/// A process that uses a machine until it is killed, at the latest when the test ends.
pub(crate) struct Tenant {
    child: Child,
    /// What it said when it was ready.
    pub(crate) said: String,
}

impl Tenant {
    /// Starts a process in this role and waits until it is ready.
    pub(crate) fn start(bed: &Bed, role: &str) -> Self {
        let program = std::env::current_exe().expect("this test program");
        let mut child = Command::new(program)
            .args(["--exact", "tenant::process", "--ignored", "--nocapture"])
            .env("TENANT_SOCKET", bed.socket())
            .env("TENANT_ROLE", role)
            .stdout(Stdio::piped())
            .spawn()
            .expect("this test program again");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let ready = lines
            .map_while(Result::ok)
            .find_map(|line| line.split_once("READY ").map(|(_, of)| of.to_owned()));
        Self { child, said: ready.expect("the tenant ended before it was ready") }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, without a chance to clean up.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it is our child");
        self.child.wait().expect("it is our child");
    }
}

impl Drop for Tenant {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Not a test: what [`Tenant::start`] runs.
#[test]
#[ignore = "run by other tests"]
fn process() {
    let Some(socket) = std::env::var_os("TENANT_SOCKET").map(PathBuf::from) else { return };
    let role = std::env::var("TENANT_ROLE").expect("a role");
    let options = ConnectOptions { kind: Kind::Cuda, socket, program: None, config: None, devices: None };
    let client = Client::connect(&options).expect("a machine that runs");
    let said = match role.split_once(' ').expect("a role and its argument") {
        ("hold", bytes) => hold(&client, bytes),
        ("fork", bytes) => format!("{} {}", hold(&client, bytes), fork_a_sleeper()),
        ("work", millis) => work(&client, millis),
        (role, _) => panic!("no such role: {role}"),
    };
    println!("READY {said}");
    std::io::stdout().flush().expect("a pipe");
    std::thread::sleep(std::time::Duration::from_secs(300));
}

/// Holds so many bytes; says whether it got them.
fn hold(client: &Client, bytes: &str) -> String {
    let context = client.create_context(DEVICE).expect("room for a context");
    let bytes = Bytes(bytes.parse().expect("a number"));
    client.allocate(context.id, linear(bytes)).map_or_else(|fault| fault.to_string(), |_| "holds".to_owned())
}

/// Has a kernel of so many milliseconds run.
fn work(client: &Client, millis: &str) -> String {
    let context = client.create_context(DEVICE).expect("room for a context");
    let duration = Nanos::from_millis(millis.parse().expect("a number"));
    client.enqueue(context.legacy_stream, kernel(duration)).expect("room in the queue");
    "works".to_owned()
}

/// A child that keeps everything it inherits open.
fn fork_a_sleeper() -> i32 {
    // SAFETY: the child calls nothing but `sleep` and `_exit`, which are safe after a fork of a process with threads.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: as above.
        unsafe { libc::sleep(300) };
        // SAFETY: as above.
        unsafe { libc::_exit(0) };
    }
    pid
}
