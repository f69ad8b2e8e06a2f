//! Graphs that are ready for launching.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use cuda_sys::CUresult;
use sim_kernel::{Bytes, GraphExecId};

use super::{Entry, Graph, Node, distinct, have_memory};
use crate::context;
use crate::handles::lock;
use crate::memory::{self, GraphBlock};
use crate::outcome::Outcome;
use crate::process::{Driver, code};
use crate::work::Lane;

/// Device memory that a graph takes for each node while it can be launched.
const BYTES_A_NODE: usize = 32 << 10;

/// A graph made ready for launching: what it was then.
#[derive(Debug)]
pub(crate) struct Exec {
    nodes: Mutex<Vec<Entry>>,
    /// What the machine calls its memory, one a device.
    memory: Vec<GraphExecId>,
    /// What it allocates and leaves to others to free.
    outliving: Vec<Arc<GraphBlock>>,
    /// What it frees of other graphs.
    foreign: Vec<Arc<GraphBlock>>,
    /// Whether a launch frees what the last one left.
    frees_on_launch: bool,
    /// Flags that it was instantiated with.
    pub(crate) flags: u64,
    /// Where the device keeps the graph itself.
    own: Option<u64>,
    /// One launch at a time looks at what is left of the last one.
    launching: Mutex<()>,
}

impl Graph {
    /// Makes it ready for launching and gives the handle of that. A graph with memory can be so only once at a time.
    pub(crate) fn instantiate(&self, driver: &Driver, flags: u64, frees_on_launch: bool) -> Outcome<usize> {
        let mut known = lock(&self.exec);
        if self.is_moved() || (self.has_memory() && known.upgrade().is_some()) {
            return Err(CUresult::INVALID_VALUE);
        }
        let exec = Exec::of(driver, self.flat(), flags, frees_on_launch)?;
        let mut given = 0;
        let exec = driver.graph_parts.execs.insert_with(|handle| {
            given = handle;
            exec
        });
        *known = Arc::downgrade(&exec);
        Ok(given)
    }
}

impl Exec {
    fn of(driver: &Driver, nodes: Vec<Entry>, flags: u64, frees_on_launch: bool) -> Outcome<Self> {
        let blocks = distinct(nodes.iter().map(|entry| entry.node.clone()));
        let (outliving, foreign) = left_and_taken(&nodes, &blocks);
        let own = own_memory(driver, nodes.len())?;
        let mut exec = Self {
            nodes: Mutex::new(nodes),
            memory: Vec::new(),
            outliving,
            foreign,
            frees_on_launch,
            flags,
            own,
            launching: Mutex::default(),
        };
        for (device, need) in needs(&blocks) {
            let device = driver.device(device)?.description.index;
            exec.memory.push(driver.client.open_graph(device, need).map_err(code)?);
        }
        Ok(exec)
    }

    /// Gives it the memory it needs to run in a stream.
    pub(crate) fn upload(&self, driver: &Driver, lane: &Lane) -> Outcome {
        for memory in &self.memory {
            driver.client.map_graph(*memory, lane.id).map_err(code)?;
        }
        Ok(())
    }

    /// Does all of it in a stream, or becomes a node of the graph that the stream captures.
    ///
    /// # Safety
    ///
    /// Host memory that was captured must still be valid.
    pub(crate) unsafe fn launch(&self, driver: &'static Driver, lane: &Lane) -> Outcome {
        if lane.captured(|graph| self.embed(driver, graph))?.is_some() {
            return Ok(());
        }
        lane.refuse_capture(driver)?;
        let _alone = lock(&self.launching);
        let left: Vec<_> = self.outliving.iter().filter(|block| block.is_live(driver)).collect();
        let lacking = self.foreign.iter().any(|block| !block.is_live(driver));
        if lacking || (!left.is_empty() && !self.frees_on_launch) {
            return Err(CUresult::INVALID_VALUE);
        }
        for block in left {
            memory::free_of_graph(driver, block.address, Some(lane.id))?;
        }
        self.upload(driver, lane)?;
        for entry in lock(&self.nodes).iter() {
            // SAFETY: passed on.
            unsafe { entry.node.run(driver, lane) }?;
        }
        for block in &self.outliving {
            block.outlive(driver, lane.id)?;
        }
        for block in &self.foreign {
            memory::free_of_graph(driver, block.address, Some(lane.id))?;
        }
        Ok(())
    }

    /// Makes a copy of it a node of `graph`. Memory cannot be copied.
    fn embed(&self, driver: &Driver, graph: &Arc<Graph>) -> Outcome<(usize, ())> {
        let (handle, copy) = Graph::copy_of(driver, &lock(&self.nodes))?;
        Ok((graph.add(driver, Node::Child(handle, copy)), ()))
    }

    /// Takes over what the nodes of `graph` do, if they are of the same kinds; false when not. Memory cannot change.
    pub(crate) fn update(&self, graph: &Graph) -> Outcome<bool> {
        let (mut nodes, new) = (lock(&self.nodes), graph.flat());
        if have_memory(&nodes) || have_memory(&new) {
            return Err(CUresult::NOT_SUPPORTED);
        }
        let kind = |entry: &Entry| entry.node.kind();
        let is_alike = nodes.iter().map(kind).eq(new.iter().map(kind));
        if is_alike {
            for (own, new) in nodes.iter_mut().zip(new) {
                own.node = new.node;
            }
        }
        Ok(is_alike)
    }

    /// Lets what was made of the node `handle` do something else of its kind from the next launch on.
    ///
    /// # Errors
    /// 1 when it has no such node.
    pub(crate) fn replace(&self, handle: usize, new: Node) -> Outcome {
        let (mut nodes, kind) = (lock(&self.nodes), new.kind());
        let is_meant = |entry: &&mut Entry| entry.handle == handle && entry.node.kind() == kind;
        nodes.iter_mut().find(is_meant).ok_or(CUresult::INVALID_VALUE)?.node = new;
        Ok(())
    }
}

impl Drop for Exec {
    fn drop(&mut self) {
        let Ok(driver) = Driver::get() else { return };
        for memory in &self.memory {
            let _ = driver.client.close_graph(*memory);
        }
        if let Some(own) = self.own {
            // Gone already with its context, which is as good.
            let _ = memory::free_code(driver, own);
        }
    }
}

/// What nodes leave allocated, and what they free that is not of these `blocks` of theirs.
fn left_and_taken(
    nodes: &[Entry],
    blocks: &[Arc<GraphBlock>],
) -> (Vec<Arc<GraphBlock>>, Vec<Arc<GraphBlock>>) {
    let (mut left, mut taken) = (Vec::<Arc<GraphBlock>>::new(), Vec::new());
    for entry in nodes {
        match &entry.node {
            Node::Allocate(block, _) => left.push(Arc::clone(block)),
            Node::Free(block) if blocks.iter().any(|own| Arc::ptr_eq(own, block)) => {
                left.retain(|open| !Arc::ptr_eq(open, block));
            }
            Node::Free(block) => taken.push(Arc::clone(block)),
            _ => {}
        }
    }
    (left, taken)
}

/// What blocks need of each device.
fn needs(blocks: &[Arc<GraphBlock>]) -> BTreeMap<i32, Bytes> {
    let mut needs = BTreeMap::<i32, Bytes>::new();
    for block in blocks {
        *needs.entry(block.device).or_default() += block.capacity;
    }
    needs
}

/// Memory for the graph itself, in the current context if there is one.
fn own_memory(driver: &Driver, nodes: usize) -> Outcome<Option<u64>> {
    let life = context::current().and_then(|context| context.life());
    match life {
        Ok(life) if nodes > 0 => memory::allocate_code(driver, life, nodes * BYTES_A_NODE, &[]).map(Some),
        _ => Ok(None),
    }
}
