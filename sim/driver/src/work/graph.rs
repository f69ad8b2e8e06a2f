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

/// A graph, or one that was made ready for launching.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph(Arc<[Node]>);

impl Graph {
    /// Does all of it in a stream.
    ///
    /// # Safety
    ///
    /// Host memory that was captured must still be valid.
    pub(crate) unsafe fn launch(&self, driver: &Driver, lane: &Lane) -> Outcome {
        lane.refuse_capture()?;
        for node in &*self.0 {
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
    mode: CUstreamCaptureMode,
    thread: ThreadId,
    nodes: Vec<Node>,
    is_broken: bool,
}

impl Capturing {
    /// Begins; 401 when it has begun already.
    pub(crate) fn begin(&self, id: u64, mode: CUstreamCaptureMode) -> Outcome {
        if mode > CUstreamCaptureMode::RELAXED {
            return Err(CUresult::INVALID_VALUE);
        }
        let mut capture = lock(&self.0);
        if capture.is_some() {
            return Err(CUresult::ILLEGAL_STATE);
        }
        let thread = std::thread::current().id();
        *capture = Some(Capture { id, mode, thread, nodes: Vec::new(), is_broken: false });
        Ok(())
    }

    /// Ends, and gives the graph; 901 for one that was broken off, 908 from another thread than the one that began, unless
    /// the mode is relaxed.
    pub(crate) fn end(&self) -> Outcome<Graph> {
        let mut capture = lock(&self.0);
        let running = capture.as_ref().ok_or(CUresult::ILLEGAL_STATE)?;
        if running.mode != CUstreamCaptureMode::RELAXED && running.thread != std::thread::current().id() {
            return Err(CUresult::STREAM_CAPTURE_WRONG_THREAD);
        }
        let ended = capture.take().filter(|ended| !ended.is_broken);
        ended.map(|ended| Graph(ended.nodes.into())).ok_or(CUresult::STREAM_CAPTURE_INVALIDATED)
    }

    /// How it stands, and the identity of the capture.
    pub(crate) fn status(&self) -> (Status, u64) {
        lock(&self.0).as_ref().map_or((Status::NONE, 0), |capture| {
            (if capture.is_broken { Status::INVALIDATED } else { Status::ACTIVE }, capture.id)
        })
    }

    /// Takes a piece of work in; false when nothing is being captured.
    pub(crate) fn take(&self, node: impl FnOnce() -> Node) -> Outcome<bool> {
        let mut capture = lock(&self.0);
        let Some(capture) = capture.as_mut() else { return Ok(false) };
        if capture.is_broken {
            return Err(CUresult::STREAM_CAPTURE_INVALIDATED);
        }
        capture.nodes.push(node());
        Ok(true)
    }

    /// Breaks a capture off for the sake of what it cannot hold.
    pub(crate) fn refuse(&self) -> Outcome {
        match lock(&self.0).as_mut() {
            None => Ok(()),
            Some(capture) => {
                capture.is_broken = true;
                Err(CUresult::STREAM_CAPTURE_UNSUPPORTED)
            }
        }
    }
}
