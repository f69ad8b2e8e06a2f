//! A process that takes and gives.

use super::kinds::{self, Attempt, Kind};
use super::random::Random;
use crate::puppet::Puppet;
use std::path::Path;

const THREADS: usize = 3;

pub(super) struct Player {
    puppet: Puppet,
    kinds: Vec<Box<dyn Kind>>,
}

/// What a step was.
#[derive(Debug)]
pub(super) struct Done {
    /// The calls that were made, with their answers.
    #[expect(dead_code, reason = "printed when a test fails")]
    calls: Vec<String>,
    pub(super) is_refused: bool,
    /// Bytes that were asked for and could not be had with less.
    pub(super) needs: u64,
    /// The first of what a single call wrote that was granted.
    pub(super) written: Option<u64>,
}

/// One thread of a player's, and what it has been told in this step.
pub(super) struct Thread<'a> {
    puppet: &'a mut Puppet,
    number: usize,
    calls: Vec<String>,
}

impl<'a> Thread<'a> {
    const fn of(puppet: &'a mut Puppet, number: usize) -> Self {
        Self { puppet, number, calls: Vec::new() }
    }

    /// The code of a call and, after a success, what it wrote.
    pub(super) fn call(&mut self, line: &str) -> (u64, Vec<u64>) {
        let mut numbers = self.puppet.numbers(&format!("on {} {line}", self.number));
        self.calls.push(format!("{line}: {numbers:?}"));
        let code = numbers.remove(0);
        (code, numbers)
    }

    /// What a call that must succeed wrote.
    pub(super) fn does(&mut self, line: &str) -> Vec<u64> {
        let (code, written) = self.call(line);
        assert_eq!(code, 0, "{:?}", self.calls);
        written
    }
}

impl Player {
    /// Makes one context and gives it to all threads.
    pub(super) fn new(mut puppet: Puppet, images: &[String]) -> Self {
        puppet.does("cuInit 0");
        let context = puppet.does("cuCtxCreate_v2 out 0 0")[0];
        for thread in 0..THREADS {
            puppet.does(&format!("on {thread} cuCtxSetCurrent {context}"));
        }
        let mut thread = Thread::of(&mut puppet, 0);
        let kinds = kinds::all(&mut thread, images);
        Self { puppet, kinds }
    }

    /// Takes something, or gives something back.
    pub(super) fn step(&mut self, random: &mut Random) -> Done {
        let kind = random.index(self.kinds.len());
        let kind = &mut self.kinds[kind];
        let mut thread = Thread::of(&mut self.puppet, random.index(THREADS));
        // So that a player holds much at times and little at others.
        let gives = !kind.is_empty() && random.below(40) < 10 + kind.len().min(20) as u64;
        let attempt = if gives {
            kind.give(&mut thread, random);
            Attempt::GRANTED
        } else {
            kind.take(&mut thread, random)
        };
        Done { calls: thread.calls, is_refused: attempt.is_refused, needs: attempt.needs, written: None }
    }

    /// A call of its first thread that is granted or refused, and takes so many bytes.
    pub(super) fn attempt(&mut self, line: &str, needs: u64) -> Done {
        let mut thread = Thread::of(&mut self.puppet, 0);
        let (code, written) = thread.call(line);
        let Attempt { is_refused, needs } = Attempt::of(code, needs);
        Done { calls: thread.calls, is_refused, needs, written: written.first().copied() }
    }

    /// What a call of its first thread that must succeed wrote.
    pub(super) fn does(&mut self, line: &str) -> Vec<u64> {
        Thread::of(&mut self.puppet, 0).does(line)
    }

    /// As [`Puppet::pass`].
    pub(super) fn pass(&mut self, descriptor: u64, to: &mut Self, path: &Path) -> u64 {
        self.puppet.pass(descriptor, &mut to.puppet, path)
    }

    /// An occasion to look at what it has.
    pub(super) fn look(&mut self) {
        self.does("cuMemGetInfo_v2 out out");
    }

    /// Gives everything back.
    pub(super) fn give_all(&mut self) {
        let mut random = Random::new(0);
        let mut thread = Thread::of(&mut self.puppet, 0);
        for kind in &mut self.kinds {
            while !kind.is_empty() {
                kind.give(&mut thread, &mut random);
            }
            kind.finish(&mut thread);
        }
    }

    pub(super) fn kill(self) {
        self.puppet.kill();
    }
}
