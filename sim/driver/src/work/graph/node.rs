//! What a graph does at one of its nodes.

use std::sync::Arc;

use cuda_sys::CUgraphNodeType as Kind;
use sim_kernel::{Bytes, Direction, Kernel, Location, Operation};

use super::Graph;
use crate::abi::CopyOrder;
use crate::memory::{self, GraphBlock, Pattern};
use crate::outcome::Outcome;
use crate::process::Driver;
use crate::work::{Callback, Event, Lane, Launch};

/// A piece of work.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// A launch, and what it asks of the device.
    Kernel(Arc<Launch>, Kernel),
    /// A copy.
    Copy(CopyOrder),
    /// A fill.
    Fill(Fill),
    /// A function of the program's, and its argument.
    Host(Callback, usize),
    /// A record of an event.
    Record(Arc<Event>),
    /// A wait for an event.
    Wait(Arc<Event>),
    /// Nothing.
    Empty,
    /// Memory, and how much of it is asked for.
    Allocate(Arc<GraphBlock>, Bytes),
    /// The end of memory of this graph, or of another one's.
    Free(Arc<GraphBlock>),
    /// Another graph: its handle, and the graph.
    Child(usize, Arc<Graph>),
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
    /// What kind of node a caller is told it is.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Kernel(..) => Kind::KERNEL,
            Self::Copy(_) => Kind::MEMCPY,
            Self::Fill(_) => Kind::MEMSET,
            Self::Host(..) => Kind::HOST,
            Self::Record(_) => Kind::EVENT_RECORD,
            Self::Wait(_) => Kind::WAIT_EVENT,
            Self::Empty => Kind::EMPTY,
            Self::Allocate(..) => Kind::MEM_ALLOC,
            Self::Free(_) => Kind::MEM_FREE,
            Self::Child(..) => Kind::GRAPH,
        }
    }

    /// Whether it, or a node of the graph that it is, allocates or frees.
    pub(crate) fn is_of_memory(&self) -> bool {
        match self {
            Self::Allocate(..) | Self::Free(_) => true,
            Self::Child(_, graph) => graph.has_memory(),
            _ => false,
        }
    }

    /// Does it in a stream, and says which way a copy went. Memory was seen to before.
    ///
    /// # Safety
    ///
    /// Host memory of a copy must be valid.
    pub(crate) unsafe fn run(&self, driver: &'static Driver, lane: &Lane) -> Outcome<Option<Direction>> {
        match self {
            Self::Kernel(_, kernel) => lane.enqueue(driver, Operation::Kernel(*kernel)).map(|()| None),
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
            Self::Host(function, data) => {
                driver.host_calls.enqueue(driver, lane, *function, *data).map(|()| None)
            }
            Self::Record(event) => lane.enqueue(driver, Operation::Record(event.id)).map(|()| None),
            Self::Wait(event) => lane.enqueue(driver, Operation::Wait(event.id)).map(|()| None),
            Self::Empty | Self::Allocate(..) | Self::Free(_) | Self::Child(..) => Ok(None),
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
