//! Names of memory and events for other processes.

use std::process;

use cuda_sys::CUresult;
use sim_kernel::{AllocationId, DeviceIndex, EventId, PieceId, PoolId};

use crate::address::{Allocation, Foreign, Home, Kind};
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::{Driver, code};

/// Words of a name, which has 64 bytes.
const WORDS: usize = 8;

/// What a name begins with: "vgpu-sim".
const MAGIC: u64 = u64::from_le_bytes(*b"vgpu-sim");

/// The name of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// The process whose it is.
    pub(crate) process: u32,
    /// The pool that it is of.
    pub(crate) pool: Option<PoolId>,
    piece: PieceId,
    offset: u64,
    bytes: u64,
    allocation: AllocationId,
}

impl Name {
    /// The 64 bytes that a program passes on.
    pub(crate) fn encode(self) -> [u8; 8 * WORDS] {
        let pool = self.pool.map_or(0, |pool| pool.0);
        let words =
            [MAGIC, self.process.into(), pool, self.piece.0, self.offset, self.bytes, self.allocation.0, 0];
        to_bytes(words)
    }

    /// The name that these bytes are.
    pub(crate) fn decode(bytes: &[u8; 8 * WORDS]) -> Outcome<Self> {
        let [MAGIC, process, pool, piece, offset, bytes, allocation, _] = to_words(bytes) else {
            return Err(CUresult::INVALID_VALUE);
        };
        Ok(Self {
            process: u32::try_from(process).map_err(|_| CUresult::INVALID_VALUE)?,
            pool: (pool != 0).then_some(PoolId(pool)),
            piece: PieceId(piece),
            offset,
            bytes,
            allocation: AllocationId(allocation),
        })
    }

    /// Names the allocation that starts at `address` if `is_shareable`, and lets others see its contents.
    pub(crate) fn give(
        driver: &Driver,
        address: u64,
        pool: Option<PoolId>,
        is_shareable: impl FnOnce(&Allocation) -> bool,
    ) -> Outcome<Self> {
        let mut space = lock(&driver.space);
        let found =
            space.starting_at(address).filter(|found| found.kind == Kind::Device && is_shareable(found));
        let (id, bytes) = found.map(|found| (found.id, found.bytes)).ok_or(CUresult::INVALID_VALUE)?;
        let (memory, offset) = driver.client.name_piece(id).map_err(code)?;
        let store = driver.physical.store(&driver.client)?;
        space.publish(address - offset.0, memory, store)?;
        let process = process::id();
        Ok(Self { process, pool, piece: memory.id, offset: offset.0, bytes, allocation: id })
    }

    /// Gives addresses to what is named, for the life of `home`; `may_be_on` says whether its device is one for that.
    pub(crate) fn open(
        self,
        driver: &Driver,
        home: Home,
        may_be_on: impl FnOnce(Option<DeviceIndex>) -> Outcome,
    ) -> Outcome<u64> {
        let mut space = lock(&driver.space);
        let memory = driver.client.open_piece(self.piece).map_err(code)?;
        let (offset, bytes, id) = (self.offset, self.bytes, self.allocation);
        let inside = offset.checked_add(bytes).is_some_and(|end| end <= memory.range.bytes.0);
        let opened = (if inside { Ok(()) } else { Err(CUresult::INVALID_VALUE) })
            .and_then(|()| may_be_on(memory.device))
            .and_then(|()| driver.physical.store(&driver.client))
            .and_then(|store| space.open(&Foreign { memory, offset, bytes, id }, home, store));
        if !matches!(opened, Ok((_, true))) {
            // It is held for the addresses that it has, if any, and not once more.
            driver.client.drop_piece(memory.id).map_err(code)?;
        }
        opened.map(|(address, _)| address)
    }
}

/// The name of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventName {
    /// The process whose it is.
    pub(crate) process: u32,
    /// What the machine calls it.
    pub(crate) event: EventId,
}

/// What a name of an event begins with: "vgpu-evt".
const EVENT_MAGIC: u64 = u64::from_le_bytes(*b"vgpu-evt");

impl EventName {
    /// The 64 bytes that a program passes on.
    pub(crate) fn encode(self) -> [u8; 8 * WORDS] {
        to_bytes([EVENT_MAGIC, self.process.into(), self.event.0, 0, 0, 0, 0, 0])
    }

    /// The name that these bytes are.
    pub(crate) fn decode(bytes: &[u8; 8 * WORDS]) -> Outcome<Self> {
        let [EVENT_MAGIC, process, event, ..] = to_words(bytes) else { return Err(CUresult::INVALID_VALUE) };
        let process = u32::try_from(process).map_err(|_| CUresult::INVALID_VALUE)?;
        Ok(Self { process, event: EventId(event) })
    }
}

fn to_bytes(words: [u64; WORDS]) -> [u8; 8 * WORDS] {
    let mut bytes = [0; 8 * WORDS];
    for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

fn to_words(bytes: &[u8; 8 * WORDS]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default());
    }
    words
}

/// Closes what was opened at an address, once.
pub(crate) fn close(driver: &Driver, address: u64) -> Outcome {
    let piece = lock(&driver.space).close(address)?;
    piece.map_or(Ok(()), |piece| driver.client.drop_piece(piece).map_err(code))
}
