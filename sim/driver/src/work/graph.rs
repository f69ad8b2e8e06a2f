//! Graphs: work of a stream that was captured, to be launched again and again.
//!
//! A graph keeps its work in the order in which it was captured, and a launch does it in that order, one after the
//! other. What a graph cannot hold here (events, host functions, memory of a pool) ends its capture with an error.

use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use cuda_sys::{CUresult, CUstreamCaptureMode, CUstreamCaptureStatus as Status};
use sim_kernel::{Bytes, Direction, Kernel, Location, Operation};

use super::Lane;
use crate::abi::CopyOrder;
use crate::handles::lock;
use crate::memory::{self, Pattern};
use crate::outcome::Outcome;
use crate::process::Driver;

/// A piece of work.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// A launch.
    Kernel(Kernel),
    /// A copy.
    Copy(CopyOrder),
    /// A fill.
    Fill(Fill),
}

/// A fill of rows: where, how far apart, with what, and elements of how many rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    /// Address of the first row.
    pub(crate) address: u64,
    /// Bytes from one row to the next.
    pub(crate) pitch: u64,
    /// The element.
    pub(crate) pattern: Pattern,
    /// Elements of a row, and rows.
    pub(crate) shape: (usize, usize),
}

impl Node {
    /// Does it in a stream, and says which way a copy went.
    ///
    /// # Safety
    ///
    /// Host memory of a copy must be valid.
    pub(crate) unsafe fn run(&self, driver: &Driver, lane: &Lane) -> Outcome<Option<Direction>> {
        match self {
            Self::Kernel(kernel) => lane.enqueue(driver, Operation::Kernel(*kernel)).map(|()| None),
            Self::Copy(order) => {
                // SAFETY: passed on.
                let direction =
                    unsafe { memory::copy(driver, &order.destination, &order.source, order.block) }?;
                if let Some(direction) = direction {
                    lane.enqueue(driver, Operation::Copy(direction, Bytes(order.block.bytes()?)))?;
                }
                Ok(direction)
            }
            Self::Fill(fill) => fill.run(driver, lane).map(|()| None),
        }
    }
}

impl Fill {
    fn run(&self, driver: &Driver, lane: &Lane) -> Outcome {
        let bytes = memory::fill(driver, self.address, self.pitch, self.pattern, self.shape)?;
        if bytes == 0 {
            return Ok(());
        }
        let device = driver.device(lane.context.device)?.description.index;
        memory::migrate(driver, self.address, bytes, Location::Device(device))?;
        lane.enqueue(driver, Operation::Memset(Bytes(bytes)))
    }
}

/// A graph; the one that is being captured grows.
#[derive(Debug, Default)]
pub(crate) struct Graph(Mutex<Vec<Node>>);

/// A graph made ready for launching: what it was then.
#[derive(Debug)]
pub(crate) struct Exec(Vec<Node>);

impl Graph {
    /// Makes it ready for launching.
    pub(crate) fn instantiate(&self) -> Exec {
        Exec(lock(&self.0).clone())
    }

    /// Whether it has no work.
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }
}

impl Exec {
    /// Does all of it in a stream.
    ///
    /// # Safety
    ///
    /// Host memory that was captured must still be valid.
    pub(crate) unsafe fn launch(&self, driver: &Driver, lane: &Lane) -> Outcome {
        lane.refuse_capture()?;
        for node in &self.0 {
            // SAFETY: passed on.
            unsafe { node.run(driver, lane) }?;
        }
        Ok(())
    }
}

/// What a stream captures, if it does.
#[derive(Debug, Default)]
pub(crate) struct Capturing(Mutex<Option<Capture>>);

#[derive(Debug)]
struct Capture {
    id: u64,
    /// Handle of the graph, and the graph.
    handle: usize,
    graph: Arc<Graph>,
    mode: CUstreamCaptureMode,
    thread: ThreadId,
    is_broken: bool,
}

impl Capturing {
    /// Begins; 401 when it has begun already.
    pub(crate) fn begin(&self, driver: &Driver, id: u64, mode: CUstreamCaptureMode) -> Outcome {
        if mode > CUstreamCaptureMode::RELAXED {
            return Err(CUresult::INVALID_VALUE);
        }
        let mut capture = lock(&self.0);
        if capture.is_some() {
            return Err(CUresult::ILLEGAL_STATE);
        }
        let thread = std::thread::current().id();
        let mut handle = 0;
        let graph = driver.graphs.insert_with(|given| {
            handle = given;
            Graph::default()
        });
        *capture = Some(Capture { id, handle, graph, mode, thread, is_broken: false });
        Ok(())
    }

    /// Ends, and gives the graph's handle; 901 for one that was broken off, 908 from another thread than the one that began, unless
    /// the mode is relaxed.
    pub(crate) fn end(&self, driver: &Driver) -> Outcome<usize> {
        let mut capture = lock(&self.0);
        let running = capture.as_ref().ok_or(CUresult::ILLEGAL_STATE)?;
        if running.mode != CUstreamCaptureMode::RELAXED && running.thread != std::thread::current().id() {
            return Err(CUresult::STREAM_CAPTURE_WRONG_THREAD);
        }
        let (handle, is_broken) = (running.handle, running.is_broken);
        *capture = None;
        if is_broken {
            driver.graphs.remove(handle);
            return Err(CUresult::STREAM_CAPTURE_INVALIDATED);
        }
        Ok(handle)
    }

    /// How it stands, and the identity of the capture.
    pub(crate) fn status(&self) -> (Status, u64) {
        lock(&self.0).as_ref().map_or((Status::NONE, 0), |capture| {
            (if capture.is_broken { Status::INVALIDATED } else { Status::ACTIVE }, capture.id)
        })
    }

    /// The graph that is being captured: its handle, and whether it has no work yet.
    pub(crate) fn graph(&self) -> Option<(usize, bool)> {
        lock(&self.0).as_ref().map(|capture| (capture.handle, capture.graph.is_empty()))
    }

    /// Takes a piece of work in; false when nothing is being captured.
    pub(crate) fn take(&self, node: impl FnOnce() -> Node) -> Outcome<bool> {
        let mut capture = lock(&self.0);
        let Some(capture) = capture.as_mut() else { return Ok(false) };
        if capture.is_broken {
            return Err(CUresult::STREAM_CAPTURE_INVALIDATED);
        }
        lock(&capture.graph.0).push(node());
        Ok(true)
    }

    /// Breaks a capture off for the sake of what it does not hold, which the caller is told by `code`.
    pub(crate) fn refuse(&self, code: CUresult) -> Outcome {
        match lock(&self.0).as_mut() {
            None => Ok(()),
            Some(capture) => {
                capture.is_broken = true;
                Err(code)
            }
        }
    }
}
