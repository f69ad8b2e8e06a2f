//! A program that does what the test says, step by step.

use crate::run::Run;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus};

/// `CUDA_ERROR_OUT_OF_MEMORY`
pub(crate) const OUT_OF_MEMORY: u64 = 2;

/// A running `puppet`. It ends when it goes out of scope, and has ended then.
pub(crate) struct Puppet {
    child: Child,
    /// Given up to let it end.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// Memory of the current context's device, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) free: u64,
    pub(crate) total: u64,
}

impl Puppet {
    pub(crate) fn start(run: Run) -> Self {
        let mut child = run.start();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    /// Starts one that may live for an hour instead of five minutes.
    pub(crate) fn lasting(run: Run) -> Self {
        let mut puppet = Self::start(run);
        assert_eq!(puppet.ask("live 3600"), "0");
        puppet
    }

    /// Starts it and makes a context on the first device.
    pub(crate) fn with_context(run: Run) -> Self {
        let mut puppet = Self::start(run);
        assert_eq!(puppet.ask("cuInit 0"), "0");
        puppet.does("cuCtxCreate_v2 out 0 0");
        puppet
    }

    /// Sends a line without waiting for the answer.
    pub(crate) fn tell(&mut self, line: &str) {
        writeln!(self.input.as_ref().unwrap(), "{line}").unwrap();
    }

    /// Waits for an answer.
    pub(crate) fn hear(&mut self) -> String {
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        if !answer.ends_with('\n') {
            let mut errors = String::new();
            let _ = self.child.stderr.take().map(|mut stream| stream.read_to_string(&mut errors));
            panic!("the puppet has ended: {:?}, {errors}", self.child.wait());
        }
        answer.trim_end().to_owned()
    }

    pub(crate) fn ask(&mut self, line: &str) -> String {
        self.tell(line);
        self.hear()
    }

    /// The numbers of the answer: the code first, then what was written.
    pub(crate) fn numbers(&mut self, line: &str) -> Vec<u64> {
        let answer = self.ask(line);
        answer.split(' ').map(|word| word.parse().unwrap_or_else(|_| panic!("{line}: {answer}"))).collect()
    }

    /// What a call that must succeed wrote.
    pub(crate) fn does(&mut self, line: &str) -> Vec<u64> {
        let mut numbers = self.numbers(line);
        assert_eq!(numbers.remove(0), 0, "{line}");
        numbers
    }

    /// The address or handle that a call gives, or the code of the refusal.
    pub(crate) fn granted(&mut self, line: &str) -> Result<u64, u64> {
        match self.numbers(line)[..] {
            [0, given] => Ok(given),
            [code] => Err(code),
            ref other => panic!("{line}: {other:?}"),
        }
    }

    /// The address of new linear memory, or the code of the refusal.
    pub(crate) fn allocate(&mut self, bytes: u64) -> Result<u64, u64> {
        self.granted(&format!("cuMemAlloc_v2 out {bytes}"))
    }

    pub(crate) fn free(&mut self, address: u64) {
        self.does(&format!("cuMemFree_v2 {address}"));
    }

    pub(crate) fn memory(&mut self) -> Memory {
        let [free, total] = self.does("cuMemGetInfo_v2 out out")[..] else { panic!("two figures") };
        Memory { free, total }
    }

    /// Passes a descriptor to another process, which gets one of its own; `path` is where they meet.
    pub(crate) fn pass(&mut self, descriptor: u64, to: &mut Self, path: &Path) -> u64 {
        let path = path.display();
        to.tell(&format!("receive {path}"));
        self.does(&format!("send {path} {descriptor}"));
        let answer = to.hear();
        answer.strip_prefix("0 ").and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, and returns when it is gone.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
    }

    /// Lets it end, and answers with how it did and what it said on standard error.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        self.input = None;
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (self.child.wait().unwrap(), errors)
    }
}

impl Drop for Puppet {
    fn drop(&mut self) {
        self.input = None;
        if std::thread::panicking() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
