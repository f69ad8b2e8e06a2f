//! Captures: what streams are given becomes a graph instead. Others join by waiting for an event of one that captures, and
//! have to be waited for before it ends.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use cuda_sys::{CUresult, CUstreamCaptureMode as Mode, CUstreamCaptureStatus as Status};
use sim_kernel::ContextId;

use super::{Graph, Node};
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::Driver;
use crate::work::Stream;

/// Of each stream of a capture, by handle, how much of its work something comes after.
pub(crate) type Seen = BTreeMap<usize, u64>;

/// A capture, of one stream or several.
#[derive(Debug)]
pub(crate) struct Capture {
    id: u64,
    /// Handle of the graph, and the graph.
    handle: usize,
    graph: Arc<Graph>,
    mode: Mode,
    thread: ThreadId,
    /// The stream that it began in.
    origin: usize,
    is_broken: AtomicBool,
    is_over: AtomicBool,
    progress: Mutex<Progress>,
}

/// What each stream has been given, and what comes before its next work.
#[derive(Debug, Default)]
struct Progress {
    done: Seen,
    before: BTreeMap<usize, Seen>,
    last_node: usize,
}

impl Capture {
    /// Breaks it off.
    pub(crate) fn spoil(&self) {
        self.is_broken.store(true, Ordering::Release);
    }

    /// Whether there is one that has not ended.
    pub(crate) fn is_any_running(driver: &Driver) -> bool {
        !lock(&driver.graph_parts.captures).is_empty()
    }

    /// Whether it has not ended.
    pub(crate) fn is_running(&self) -> bool {
        !self.is_over.load(Ordering::Acquire)
    }

    fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Acquire)
    }

    fn end(&self, driver: &Driver) {
        self.is_over.store(true, Ordering::Release);
        lock(&driver.graph_parts.captures).retain(|capture| capture.id != self.id);
    }

    /// Whether a call that is not safe in some thread's captures disturbs it.
    fn forbids(&self, mode: Mode) -> bool {
        let is_own = self.thread == std::thread::current().id() && self.mode != Mode::RELAXED;
        match mode {
            Mode::RELAXED => false,
            Mode::THREAD_LOCAL => is_own,
            _ => is_own || self.mode == Mode::GLOBAL,
        }
    }
}

impl Progress {
    /// Notes that a stream was given something.
    fn step(&mut self, stream: usize) {
        let count = self.done.entry(stream).or_default();
        *count += 1;
        self.before.entry(stream).or_default().insert(stream, *count);
    }

    /// What comes before whatever the stream is given next.
    fn seen_by(&self, stream: usize) -> Seen {
        self.before.get(&stream).cloned().unwrap_or_default()
    }

    /// The stream goes on after what was seen elsewhere.
    fn join(&mut self, stream: usize, seen: &Seen) {
        let before = self.before.entry(stream).or_default();
        for (other, count) in seen {
            let known = before.entry(*other).or_default();
            *known = (*known).max(*count);
        }
    }

    /// Whether everything comes before the next work of a stream.
    fn is_joined(&self, stream: usize) -> bool {
        let seen = self.seen_by(stream);
        self.done.iter().all(|(other, count)| seen.get(other).is_some_and(|known| known >= count))
    }
}

/// What a stream captures, if it does.
#[derive(Debug, Default)]
pub(crate) struct Capturing(Mutex<Option<Arc<Capture>>>);

impl Capturing {
    /// Begins in the stream of this handle; 401 when it has begun already.
    pub(crate) fn begin(&self, driver: &Driver, stream: usize, mode: Mode) -> Outcome {
        static LAST: AtomicU64 = AtomicU64::new(0);
        if mode > Mode::RELAXED {
            return Err(CUresult::INVALID_VALUE);
        }
        if self.is_running() {
            return Err(CUresult::ILLEGAL_STATE);
        }
        let mut handle = 0;
        let graph = driver.graphs.insert_with(|given| {
            handle = given;
            Graph::default()
        });
        let capture = Arc::new(Capture {
            id: LAST.fetch_add(1, Ordering::Relaxed) + 1,
            handle,
            graph,
            mode,
            thread: std::thread::current().id(),
            origin: stream,
            is_broken: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            progress: Mutex::default(),
        });
        lock(&driver.graph_parts.captures).push(Arc::clone(&capture));
        *lock(&self.0) = Some(capture);
        Ok(())
    }

    /// Ends, and gives the graph's handle; 901 for one that was broken off, 903 for one that began in another stream, 904
    /// when work of another stream was not waited for, 908 from another thread than the one that began, unless the mode is
    /// relaxed.
    pub(crate) fn end(&self, driver: &Driver, stream: usize) -> Outcome<usize> {
        let capture = self.running().ok_or(CUresult::ILLEGAL_STATE)?;
        if capture.mode != Mode::RELAXED && capture.thread != std::thread::current().id() {
            return Err(CUresult::STREAM_CAPTURE_WRONG_THREAD);
        }
        if capture.origin != stream {
            capture.spoil();
            return Err(CUresult::STREAM_CAPTURE_UNMATCHED);
        }
        capture.end(driver);
        let is_joined = lock(&capture.progress).is_joined(stream);
        let found = match (capture.is_broken(), is_joined) {
            (true, _) => Err(CUresult::STREAM_CAPTURE_INVALIDATED),
            (false, false) => Err(CUresult::STREAM_CAPTURE_UNJOINED),
            (false, true) => return Ok(capture.handle),
        };
        driver.graphs.remove(capture.handle);
        found
    }

    /// Whether the stream captures.
    pub(crate) fn is_running(&self) -> bool {
        self.running().is_some()
    }

    /// How it stands, and the identity of the capture.
    pub(crate) fn status(&self) -> (Status, u64) {
        self.running().map_or((Status::NONE, 0), |capture| {
            (if capture.is_broken() { Status::INVALIDATED } else { Status::ACTIVE }, capture.id)
        })
    }

    /// The graph that is being captured: its handle, and that of the node that the next one comes after, or 0.
    pub(crate) fn graph(&self) -> Option<(usize, usize)> {
        self.running().map(|capture| (capture.handle, lock(&capture.progress).last_node))
    }

    /// Lets `add` add to the graph that the stream of this handle captures; `None` when it captures none.
    pub(crate) fn add<T>(
        &self,
        stream: usize,
        add: impl FnOnce(&Arc<Graph>) -> Outcome<(usize, T)>,
    ) -> Outcome<Option<T>> {
        let Some(capture) = self.running() else { return Ok(None) };
        if capture.is_broken() {
            return Err(CUresult::STREAM_CAPTURE_INVALIDATED);
        }
        let mut progress = lock(&capture.progress);
        let (node, added) = add(&capture.graph)?;
        progress.step(stream);
        progress.last_node = node;
        Ok(Some(added))
    }

    /// Takes a piece of work in; false when nothing is being captured.
    pub(crate) fn take(&self, driver: &Driver, stream: usize, node: impl FnOnce() -> Node) -> Outcome<bool> {
        Ok(self.add(stream, |graph| Ok((graph.add(driver, node()), ())))?.is_some())
    }

    /// An event is recorded in a stream that captures: what comes before it.
    pub(crate) fn record(&self, stream: usize) -> Option<(Arc<Capture>, Seen)> {
        let capture = self.running()?;
        let seen = lock(&capture.progress).seen_by(stream);
        Some((capture, seen))
    }

    /// The stream of this handle waits for an event of a capture, which it becomes a part of; 902 when it is in another.
    pub(crate) fn join(&self, stream: usize, capture: &Arc<Capture>, seen: &Seen) -> Outcome {
        let running = self.running();
        if let Some(other) = running.filter(|running| running.id != capture.id) {
            other.spoil();
            capture.spoil();
            return Err(CUresult::STREAM_CAPTURE_MERGE);
        }
        let mut progress = lock(&capture.progress);
        progress.join(stream, seen);
        // To be waited for, also when nothing is given to it.
        if !progress.done.contains_key(&stream) && capture.origin != stream {
            progress.step(stream);
        }
        *lock(&self.0) = Some(Arc::clone(capture));
        Ok(())
    }

    /// Breaks a capture off for the sake of what it does not hold, which the caller is told by `code`.
    pub(crate) fn refuse(&self, code: CUresult) -> Outcome {
        self.running().map_or(Ok(()), |capture| {
            capture.spoil();
            Err(code)
        })
    }

    fn running(&self) -> Option<Arc<Capture>> {
        lock(&self.0).clone().filter(|capture| capture.is_running())
    }
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::GLOBAL) };
}

/// Which captures this thread's unsafe calls respect from now on; gives what it was.
pub(crate) fn thread_mode(wanted: Mode) -> Mode {
    MODE.replace(wanted)
}

/// Refuses a call that captures forbid, and breaks off those that do. Which calls that are, the documentation only gives
/// examples of; here, those that take or give back device memory at once, and those that wait for work or ask how far it is.
pub(crate) fn forbid_unsafe(driver: &Driver) -> Outcome {
    let running = lock(&driver.graph_parts.captures);
    let mut forbids = Ok(());
    for capture in running.iter().filter(|capture| capture.forbids(MODE.get())) {
        capture.spoil();
        forbids = Err(CUresult::STREAM_CAPTURE_UNSUPPORTED);
    }
    forbids
}

/// Refuses to wait for all of a context, and breaks off the captures in it, whatever the modes are.
pub(crate) fn forbid_captures(driver: &Driver, context: ContextId) -> Outcome {
    forbid_unsafe(driver)?;
    Stream::refuse_all(&Stream::capturing_in(driver, context), CUresult::STREAM_CAPTURE_UNSUPPORTED)
}
