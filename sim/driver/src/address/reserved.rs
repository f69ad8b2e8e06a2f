//! Reserved addresses, and the physical memory that is mapped at them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use cuda_sys::{CUmemAccess_flags, CUresult};

use super::Space;
use crate::memory::Physical;
use crate::outcome::Outcome;

/// What may be where.
#[derive(Debug, Default)]
pub(super) struct Reserved {
    /// Start and length of each reservation, as the program asked for it.
    ranges: BTreeMap<u64, u64>,
    mappings: BTreeMap<u64, Mapping>,
}

/// Physical memory at addresses.
#[derive(Debug)]
pub(crate) struct Mapping {
    /// The first address.
    pub(crate) start: u64,
    /// Bytes from there on: the first of the memory.
    pub(crate) bytes: u64,
    /// The memory.
    pub(crate) physical: Arc<Physical>,
    /// What each device may do there, by ordinal; [`HOST`]: what the program may.
    access: BTreeMap<i32, CUmemAccess_flags>,
}

/// The program, among those who may have access.
pub(crate) const HOST: i32 = -1;

impl Mapping {
    fn end(&self) -> u64 {
        self.start + self.bytes
    }

    /// What a device may do here.
    pub(crate) fn access(&self, who: i32) -> CUmemAccess_flags {
        self.access.get(&who).copied().unwrap_or(CUmemAccess_flags::PROT_NONE)
    }

    fn is_accessible(&self) -> bool {
        self.access.values().any(|flags| *flags != CUmemAccess_flags::PROT_NONE)
    }
}

impl Reserved {
    /// The mappings that `part` consists of: an invalid value when there is a hole in it, or only a part of one.
    fn whole(&self, part: &Range<u64>) -> Outcome<Vec<u64>> {
        let mut reached = part.start;
        let mut found = Vec::new();
        for (start, mapping) in self.mappings.range(part.clone()) {
            if *start != reached {
                break;
            }
            found.push(*start);
            reached = mapping.end();
        }
        if reached == part.end && !found.is_empty() { Ok(found) } else { Err(CUresult::INVALID_VALUE) }
    }

    fn mapping_at(&self, address: u64) -> Option<&Mapping> {
        let (_, mapping) = self.mappings.range(..=address).next_back()?;
        (address < mapping.end()).then_some(mapping)
    }

    fn is_free(&self, part: &Range<u64>) -> bool {
        let before = self.mappings.range(..part.end).next_back();
        before.is_none_or(|(_, mapping)| mapping.end() <= part.start)
    }

    fn reservation_at(&self, address: u64) -> Option<Range<u64>> {
        let (start, bytes) = self.ranges.range(..=address).next_back()?;
        (address - start < *bytes).then(|| *start..start + bytes)
    }
}

impl Space {
    /// Reserves addresses, from `wanted` on if they are free; `None` when there are none left.
    pub(crate) fn reserve_range(&mut self, bytes: u64, alignment: u64, wanted: u64) -> Option<u64> {
        let own = bytes.checked_next_multiple_of(self.chunk)?;
        let alignment = alignment.max(self.chunk);
        let extents = self.device.extents();
        let is_given = wanted != 0 && wanted.is_multiple_of(alignment) && extents.take_at(wanted, own);
        let start = if is_given { wanted } else { extents.take(own, alignment)? };
        self.reserved.ranges.insert(start, bytes);
        Some(start)
    }

    /// Gives reserved addresses back, all of them, where nothing is mapped.
    pub(crate) fn free_range(&mut self, start: u64, bytes: u64) -> Outcome {
        let part = start..start.checked_add(bytes).ok_or(CUresult::INVALID_VALUE)?;
        if self.reserved.ranges.get(&start) != Some(&bytes) || !self.reserved.is_free(&part) {
            return Err(CUresult::INVALID_VALUE);
        }
        self.reserved.ranges.remove(&start);
        let own = bytes.checked_next_multiple_of(self.chunk).ok_or(CUresult::INVALID_VALUE)?;
        self.device.extents().give(start, own);
        Ok(())
    }

    /// Maps the first bytes of physical memory at reserved addresses, where nothing is mapped yet.
    pub(crate) fn map(
        &mut self,
        part: Range<u64>,
        physical: Arc<Physical>,
        store: BorrowedFd<'_>,
    ) -> Outcome {
        let reservation = self.reserved.reservation_at(part.start);
        if reservation.is_none_or(|range| part.end > range.end) || !self.reserved.is_free(&part) {
            return Err(CUresult::INVALID_VALUE);
        }
        let offset = physical.state.range.offset.0;
        self.device.back(part.clone(), store, offset).ok_or(CUresult::OUT_OF_MEMORY)?;
        let (start, bytes) = (part.start, part.end - part.start);
        let mapping = Mapping { start, bytes, physical, access: BTreeMap::new() };
        self.reserved.mappings.insert(start, mapping);
        Ok(())
    }

    /// Undoes all mappings in a part, which has to consist of whole ones. Gives the memory that was mapped, once for each.
    pub(crate) fn unmap(&mut self, part: &Range<u64>) -> Outcome<Vec<Arc<Physical>>> {
        let starts = self.reserved.whole(part)?;
        self.device.restore(part.clone()).ok_or(CUresult::OUT_OF_MEMORY)?;
        let gone = starts.iter().filter_map(|start| self.reserved.mappings.remove(start));
        Ok(gone.map(|mapping| mapping.physical).collect())
    }

    /// Says what a device, or the program, may do with a part, which has to consist of whole mappings.
    pub(crate) fn set_access(
        &mut self,
        part: &Range<u64>,
        who: i32,
        flags: CUmemAccess_flags,
        store: BorrowedFd<'_>,
    ) -> Outcome {
        for start in self.reserved.whole(part)? {
            let Some(mapping) = self.reserved.mappings.get_mut(&start) else { continue };
            mapping.access.insert(who, flags);
            if who == HOST && flags != CUmemAccess_flags::PROT_NONE {
                let offset = mapping.physical.state.range.offset.0;
                let opened = self.device.open(start..mapping.end(), store, offset);
                opened.ok_or(CUresult::OUT_OF_MEMORY)?;
            }
        }
        Ok(())
    }

    /// Whether a part consists of whole mappings.
    pub(crate) fn are_mapped(&self, part: &Range<u64>) -> Outcome<Vec<&Mapping>> {
        let starts = self.reserved.whole(part)?;
        Ok(starts.iter().filter_map(|start| self.reserved.mappings.get(start)).collect())
    }

    /// The mapping that an address lies in.
    pub(crate) fn mapping_at(&self, address: u64) -> Option<&Mapping> {
        self.reserved.mapping_at(address)
    }

    /// The reservation that an address lies in.
    pub(crate) fn reservation_at(&self, address: u64) -> Option<Range<u64>> {
        self.reserved.reservation_at(address)
    }

    /// Where the contents of mapped memory are, if somebody has access to all of it. Neighbours may be different memory.
    pub(super) fn mapped_contents(&self, address: u64, length: u64) -> Option<*mut u8> {
        let end = address.checked_add(length)?;
        let mut reached = address;
        loop {
            let mapping = self.reserved.mapping_at(reached).filter(|mapping| mapping.is_accessible())?;
            reached = mapping.end();
            if reached >= end {
                return Some(self.device.contents(address));
            }
        }
    }
}
