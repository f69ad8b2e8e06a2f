//! This test program, started again to play one part in its own process.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use super::{overlay_parts, parts, poor_parts};

/// What a process does. It opens the region, and says `ready` when it has done what its part says first.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// Charges some bytes and waits for the end of its input, then ends without leaving.
    Hold,
    /// Like `Hold`, but lets its main thread end, so that only another thread lives on.
    HoldWithoutMain,
    /// Like `Hold`, and replaces itself by `cat` when ready.
    Exec,
    /// Like `Hold`, with a forked child that lives until the end of its input.
    ForkAndHold,
    /// Like `Hold`, after closing every descriptor that it does not know.
    CloseAll,
    /// Reserves and refunds at random until the end of its input, always within its own share of the limit; fails if refused.
    RaceWithinShare,
    /// Reserves and refunds at random until the end of its input, more than there is.
    RaceBeyondLimit,
    /// Joins, gives up all system calls but `read`, `write` and `exit`, and reserves, charges, refunds and is refused.
    WithoutSystemCalls,
    /// Opens the region and says what happened.
    Open,
    /// Clears up after others over and over until it is killed.
    ReapForEver,
    /// Opens the region as one of several users and says what happened.
    OpenShared,
    /// Becomes another user, then does as `Hold` with the region of several users.
    HoldAsAnotherUser,
    /// Charges some bytes, becomes another user when told to, and says whether it can then have the whole limit.
    BecomeAnotherUser,
    /// Opens, joins and charges on a thread with the smallest stack there is.
    SmallStack,
    /// Says what joining complains about when no descriptor is left.
    NoDescriptor,
    /// Joins, says what keeps its lock, and checks that the dead are still told from the living.
    Overlay,
    /// Charges the whole limit, replaces itself by the same program, joins again and says whether it can have the limit.
    ExecItself,
    /// Launches so often, then waits for its turn until the end of its input.
    WaitForTurn,
    /// Says whether it can have the whole limit after the death of a process whose forked child lives on with what it inherited.
    Heir,
}

const PARTS: [Part; 19] = [
    Part::Hold,
    Part::HoldWithoutMain,
    Part::Exec,
    Part::ForkAndHold,
    Part::CloseAll,
    Part::RaceWithinShare,
    Part::RaceBeyondLimit,
    Part::WithoutSystemCalls,
    Part::Open,
    Part::ReapForEver,
    Part::OpenShared,
    Part::HoldAsAnotherUser,
    Part::BecomeAnotherUser,
    Part::SmallStack,
    Part::NoDescriptor,
    Part::Overlay,
    Part::ExecItself,
    Part::WaitForTurn,
    Part::Heir,
];

const PART: &str = "REGION_TEST_PART";
const PATH: &str = "REGION_TEST_PATH";
pub(super) const NUMBER: &str = "REGION_TEST_NUMBER";
/// What starts a line that a part says, amid the test harness's own.
const SAYS: &str = "says: ";

/// A process that plays a part. It is killed when the value is dropped.
pub(crate) struct Role {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Role {
    /// Starts `part` with the region at `path` and a number that means whatever the part makes of it.
    pub(crate) fn start(part: Part, path: &Path, number: u64) -> Self {
        let (program, arguments) = Self::command();
        let mut command = Command::new(program);
        command.args(arguments);
        Self::spawn(command, part, path, number)
    }

    /// Starts `part` behind `wrapper`, for instance `unshare` and its options.
    pub(crate) fn start_in(wrapper: &[&str], part: Part, path: &Path, number: u64) -> Self {
        let (program, arguments) = Self::command();
        let mut command = Command::new(wrapper[0]);
        command.args(&wrapper[1..]).arg(program).args(arguments);
        Self::spawn(command, part, path, number)
    }

    /// How to start this test program so that it plays a part.
    pub(super) fn command() -> (String, [&'static str; 3]) {
        let program = std::env::current_exe().unwrap();
        (program.to_str().unwrap().to_owned(), ["--exact", "support::role::play", "--nocapture"])
    }

    fn spawn(mut command: Command, part: Part, path: &Path, number: u64) -> Self {
        command.env(PART, format!("{part:?}")).env(PATH, path).env(NUMBER, number.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next thing that the process says; `None` when it has ended.
    pub(crate) fn says(&mut self) -> Option<String> {
        self.lines.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, said) = line.split_once(SAYS)?;
            Some(said.to_owned())
        })
    }

    /// Waits until the process has said `ready`.
    pub(crate) fn ready(mut self) -> Self {
        assert_eq!(self.says().as_deref(), Some("ready"));
        self
    }

    /// The process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends the process a signal.
    pub(crate) fn signal(&self, signal: libc::c_int) {
        // SAFETY: the process is a child that has not been waited for, so that the number is its own.
        assert_eq!(unsafe { libc::kill(self.pid().cast_signed(), signal) }, 0);
    }

    /// Sends `bytes` to the process's input.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.child.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Whether the process has not ended.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Ends the process's input and waits for its end; what it said last, if anything.
    pub(crate) fn finish(mut self) -> (ExitStatus, Option<String>) {
        drop(self.child.stdin.take());
        let mut last = None;
        while let Some(said) = self.says() {
            last = Some(said);
        }
        (self.child.wait().unwrap(), last)
    }

    /// Kills the process with SIGKILL and waits until it is gone.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Kills the process with SIGKILL but leaves it a zombie.
    pub(crate) fn kill_only(&mut self) {
        self.child.kill().unwrap();
    }
}

impl Drop for Role {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Tells the test that started this process.
pub(crate) fn say(text: &str) {
    println!("{SAYS}{text}");
}

/// Not a test: what a process does that [`Role`] has started.
#[test]
fn play() {
    let Ok(name) = std::env::var(PART) else { return };
    let part = PARTS.into_iter().find(|part| format!("{part:?}") == name).unwrap();
    let path = std::env::var(PATH).unwrap();
    let number = std::env::var(NUMBER).unwrap().parse().unwrap();
    let path = Path::new(&path);
    match part {
        Part::OpenShared
        | Part::HoldAsAnotherUser
        | Part::BecomeAnotherUser
        | Part::SmallStack
        | Part::NoDescriptor => poor_parts::play(part, path, number),
        Part::Overlay | Part::ExecItself | Part::Heir => overlay_parts::play(part, path, number),
        _ => parts::play(part, path, number),
    }
}
