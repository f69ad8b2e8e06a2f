//! Graphs: work that is described once, by a capture or node by node, to be launched again and again.
//!
//! A graph keeps its nodes in the order in which they came, which is one that their dependencies allow, and a launch does
//! them in that order, one after the other. What a graph cannot hold here (callbacks that are told the stream's state)
//! ends its capture with an error.

mod capture;
mod exec;
mod node;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use cuda_sys::CUresult;
use sim_kernel::Bytes;

use crate::handles::{Handles, lock};
use crate::memory::{GraphBlock, GraphBlocks};
use crate::outcome::Outcome;
use crate::process::Driver;

pub(crate) use capture::{Capture, Capturing, Seen, forbid_captures, forbid_unsafe, thread_mode};
pub(crate) use exec::Exec;
pub(crate) use node::{Fill, Node};

/// What graphs are made of, and what makes them.
#[derive(Debug, Default)]
pub(crate) struct GraphParts {
    /// Their nodes.
    pub(crate) nodes: Handles<NodePlace>,
    /// Their memory.
    pub(crate) blocks: GraphBlocks,
    /// Those that can be launched.
    pub(crate) execs: Handles<Exec>,
    /// Captures that run.
    pub(crate) captures: Mutex<Vec<Arc<Capture>>>,
}

/// A graph; the one that is being captured grows.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Mutex<Vec<Entry>>,
    /// Whether it is a part of another graph, which it cannot be taken out of.
    is_moved: AtomicBool,
    /// What it was made ready for launching last.
    exec: Mutex<Weak<Exec>>,
}

/// A node and what the caller calls it.
#[derive(Clone, Debug)]
struct Entry {
    handle: usize,
    node: Node,
}

/// What a node's handle leads to.
#[derive(Debug)]
pub(crate) struct NodePlace {
    graph: Weak<Graph>,
    position: usize,
}

impl NodePlace {
    /// The node of a handle.
    pub(crate) fn node(driver: &Driver, handle: usize) -> Outcome<Node> {
        let place = driver.graph_parts.nodes.get(handle).ok_or(CUresult::INVALID_VALUE)?;
        let graph = place.graph.upgrade().ok_or(CUresult::INVALID_VALUE)?;
        let nodes = lock(&graph.nodes);
        nodes.get(place.position).map(|entry| entry.node.clone()).ok_or(CUresult::INVALID_VALUE)
    }

    /// Lets the kernel node of a handle be another kernel from now on.
    pub(crate) fn replace_kernel(driver: &Driver, handle: usize, new: Node) -> Outcome {
        let place = driver.graph_parts.nodes.get(handle).ok_or(CUresult::INVALID_VALUE)?;
        let graph = place.graph.upgrade().ok_or(CUresult::INVALID_VALUE)?;
        graph.replace_kernel(place.position, new)
    }

    /// Whether a handle is that of a node of a graph.
    pub(crate) fn is_of(driver: &Driver, handle: usize, graph: &Arc<Graph>) -> bool {
        let place = driver.graph_parts.nodes.get(handle);
        place.and_then(|place| place.graph.upgrade()).is_some_and(|owner| Arc::ptr_eq(&owner, graph))
    }
}

impl Graph {
    /// The graph of a handle.
    pub(crate) fn of(driver: &Driver, handle: usize) -> Outcome<Arc<Self>> {
        driver.graphs.get(handle).ok_or(CUresult::INVALID_VALUE)
    }

    /// Adds a node and gives its handle.
    pub(crate) fn add(self: &Arc<Self>, driver: &Driver, node: Node) -> usize {
        let mut nodes = lock(&self.nodes);
        let place = NodePlace { graph: Arc::downgrade(self), position: nodes.len() };
        let handle = driver.graph_parts.nodes.insert(place);
        nodes.push(Entry { handle, node });
        handle
    }

    /// Adds a node that allocates on a device, and gives its handle and the address. The graph's own freed addresses come
    /// first.
    pub(crate) fn allocate(
        self: &Arc<Self>,
        driver: &Driver,
        device: i32,
        bytes: usize,
    ) -> Outcome<(usize, u64)> {
        if bytes == 0 || self.is_moved() {
            return Err(CUresult::INVALID_VALUE);
        }
        let bytes = Bytes(bytes as u64);
        let free = self
            .blocks()
            .into_iter()
            .find(|block| block.device == device && block.capacity >= bytes && block.is_freed_by_owner());
        let block = match free {
            Some(block) => block,
            None => GraphBlock::reserve(driver, device, bytes)?,
        };
        block.open();
        let address = block.address;
        Ok((self.add(driver, Node::Allocate(block, bytes)), address))
    }

    /// Adds a node that frees what a node of this or another graph allocates.
    pub(crate) fn free(self: &Arc<Self>, driver: &Driver, address: u64) -> Outcome<usize> {
        let block = GraphBlock::at(driver, address).ok_or(CUresult::INVALID_VALUE)?;
        let is_own = self.blocks().iter().any(|own| Arc::ptr_eq(own, &block));
        let is_free = if is_own { block.close_by_owner() } else { block.close_elsewhere() };
        if !is_free || self.is_moved() {
            return Err(CUresult::INVALID_VALUE);
        }
        Ok(self.add(driver, Node::Free(block)))
    }

    /// Makes a graph a node of this one: a copy of it, or itself.
    pub(crate) fn adopt(self: &Arc<Self>, driver: &Driver, handle: usize, moves: bool) -> Outcome<usize> {
        let child = Self::of(driver, handle)?;
        if !moves {
            let (handle, copy) = child.copied(driver)?;
            return Ok(self.add(driver, Node::Child(handle, copy)));
        }
        if Arc::ptr_eq(self, &child) || child.is_moved.swap(true, Ordering::AcqRel) {
            return Err(CUresult::INVALID_VALUE);
        }
        Ok(self.add(driver, Node::Child(handle, child)))
    }

    /// A copy with its handle. Memory cannot be copied.
    pub(crate) fn copied(&self, driver: &Driver) -> Outcome<(usize, Arc<Self>)> {
        Self::copy_of(driver, &self.entries())
    }

    /// A new graph of what these nodes do, with its handle. Memory cannot be copied.
    fn copy_of(driver: &Driver, nodes: &[Entry]) -> Outcome<(usize, Arc<Self>)> {
        if have_memory(nodes) {
            return Err(CUresult::NOT_SUPPORTED);
        }
        let mut given = 0;
        let graph = driver.graphs.insert_with(|handle| {
            given = handle;
            Self::default()
        });
        for entry in nodes {
            graph.add(driver, entry.node.clone());
        }
        Ok((given, graph))
    }

    /// Lets the kernel node at `position` be another kernel from now on.
    fn replace_kernel(&self, position: usize, new: Node) -> Outcome {
        match lock(&self.nodes).get_mut(position) {
            Some(Entry { node: node @ Node::Kernel(..), .. }) => *node = new,
            _ => return Err(CUresult::INVALID_VALUE),
        }
        Ok(())
    }

    /// Whether it is a part of another graph.
    pub(crate) fn is_moved(&self) -> bool {
        self.is_moved.load(Ordering::Acquire)
    }

    /// Whether a node of it allocates or frees.
    pub(crate) fn has_memory(&self) -> bool {
        have_memory(&self.entries())
    }

    /// The handles of its nodes.
    pub(crate) fn handles(&self) -> Vec<usize> {
        lock(&self.nodes).iter().map(|entry| entry.handle).collect()
    }

    /// Its nodes in order, with those of the graphs in it in their place.
    fn flat(&self) -> Vec<Entry> {
        let nested = self.entries().into_iter().map(|entry| match entry.node {
            Node::Child(_, graph) => graph.flat(),
            _ => vec![entry],
        });
        nested.flatten().collect()
    }

    /// What its own nodes allocate.
    fn blocks(&self) -> Vec<Arc<GraphBlock>> {
        distinct(self.entries().into_iter().map(|entry| entry.node))
    }

    fn entries(&self) -> Vec<Entry> {
        lock(&self.nodes).clone()
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if let Ok(driver) = Driver::get() {
            for handle in self.handles() {
                driver.graph_parts.nodes.remove(handle);
            }
        }
    }
}

/// Whether one of these nodes allocates or frees.
fn have_memory(nodes: &[Entry]) -> bool {
    nodes.iter().any(|entry| entry.node.is_of_memory())
}

/// What nodes allocate, each block once.
fn distinct(nodes: impl Iterator<Item = Node>) -> Vec<Arc<GraphBlock>> {
    let mut blocks = Vec::<Arc<GraphBlock>>::new();
    for node in nodes {
        if let Node::Allocate(block, _) = node
            && !blocks.iter().any(|known| Arc::ptr_eq(known, &block))
        {
            blocks.push(block);
        }
    }
    blocks
}
