//! A segment that expands, as in PyTorch's caching allocator: addresses for more than the device has, and memory in pieces
//! of 20 MiB for large blocks or 2 MiB for small ones, added at the end and taken out anywhere.

use crate::memory::{
    Trouble, create_if_there_is_room, expect, fill, map, release, reserve, unmap, unreserve,
};
use cuda_sys::CUdeviceptr;
use sim_apps::{Failure, driver};

const LARGE: usize = 20 << 20;
const SMALL: usize = 2 << 20;

/// A segment of pieces of one size.
struct Segment {
    start: CUdeviceptr,
    reserved: usize,
    piece: usize,
    handles: Vec<Option<u64>>,
}

impl Segment {
    fn new(piece: usize) -> Result<Self, Failure> {
        let total = driver::total_memory(0)?;
        let reserved = (total + total / 8).next_multiple_of(piece);
        Ok(Self { start: reserve(reserved)?, reserved, piece, handles: Vec::new() })
    }

    fn address(&self, index: usize) -> CUdeviceptr {
        self.start + (index * self.piece) as u64
    }

    /// Puts memory at a place; `false` when there is none.
    fn put(&mut self, index: usize) -> Result<bool, Failure> {
        let Some(handle) = create_if_there_is_room(self.piece)? else { return Ok(false) };
        map(self.address(index), self.piece, handle)?;
        if index == self.handles.len() {
            self.handles.push(None);
        }
        self.handles[index] = Some(handle);
        Ok(true)
    }

    fn take_out(&mut self, index: usize) -> Result<(), Failure> {
        if let Some(handle) = self.handles[index].take() {
            unmap(self.address(index), self.piece)?;
            release(handle)?;
        }
        Ok(())
    }

    /// Expands up to so many pieces, and says how many there are.
    fn expand(&mut self, pieces: usize) -> Result<usize, Failure> {
        while self.handles.len() < pieces && self.put(self.handles.len())? {}
        Ok(self.handles.len())
    }

    fn end(mut self) -> Result<(), Failure> {
        for index in 0..self.handles.len() {
            self.take_out(index)?;
        }
        unreserve(self.start, self.reserved)
    }
}

pub(crate) fn run(bytes: usize) -> Result<(), Trouble> {
    let mut large = Segment::new(LARGE)?;
    let pieces = large.expand(bytes / LARGE)?;
    // A block lies across pieces.
    fill(large.start, 7, pieces * LARGE)?;
    let middle = pieces / 3..pieces / 2;
    for index in middle.clone() {
        large.take_out(index)?;
    }
    expect(large.address(middle.end), 7, LARGE)?;
    // What was freed serves another segment, and what that leaves the first one again.
    let mut small = Segment::new(SMALL)?;
    let smalls = small.expand(middle.len() * LARGE / SMALL)?;
    fill(small.start, 9, smalls * SMALL)?;
    expect(small.start, 9, smalls * SMALL)?;
    small.end()?;
    for index in middle.clone() {
        large.put(index)?;
    }
    println!("{pieces} large and {smalls} small pieces");
    Ok(large.end()?)
}
