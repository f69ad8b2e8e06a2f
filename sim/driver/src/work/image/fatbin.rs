//! Fat binaries: several images of the same code, for different devices.
//!
//! The layout is not documented by its maker; offsets are as cuobjdump's output and public readers of the format agree
//! on them.

use super::{Image, elf, lz4, ptx, text};

pub(super) const MAGIC: &[u8] = &0xba55_ed50_u32.to_le_bytes();
/// Bytes of the head.
pub(super) const HEAD: usize = 16;

/// Kinds of entries.
const PTX: u16 = 1;
const ELF: u16 = 2;
/// Flag of an entry that is compressed in LZ4 blocks.
const LZ4: u64 = 0x2000;
/// Flag of an entry that is compressed in another way.
const ZSTD: u64 = 0x8000;
/// Bytes of an entry's head that are looked at.
const ENTRY_HEAD: usize = 64;

/// How long a fat binary is, by its head.
pub(super) fn length(head: &[u8]) -> Option<usize> {
    let skip = usize::from(u16_at(head, 6)?);
    usize::try_from(u64_at(head, 8)?).ok()?.checked_add(skip)
}

/// Reads the first entry that can be read: all have the same kernels.
pub(super) fn parse(bytes: &[u8]) -> Option<Image> {
    let mut rest = bytes.get(usize::from(u16_at(bytes, 6)?)..length(bytes)?)?;
    let mut has_entries = false;
    while !rest.is_empty() {
        let entry = Entry::parse(rest)?;
        has_entries = true;
        if let Some(image) = entry.image() {
            return Some(image);
        }
        rest = rest.get(entry.end..)?;
    }
    has_entries.then(|| Image { is_opaque: true, ..Image::default() })
}

struct Entry<'a> {
    kind: u16,
    flags: u64,
    /// Decompressed size.
    size: usize,
    payload: &'a [u8],
    end: usize,
}

impl<'a> Entry<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let head = usize::try_from(u32_at(bytes, 4)?).ok()?;
        let padded = usize::try_from(u64_at(bytes, 8)?).ok()?;
        let compressed = usize::try_from(u32_at(bytes, 16)?).ok()?;
        let end = head.checked_add(padded)?;
        let whole = bytes.get(head..end).filter(|_| head >= ENTRY_HEAD)?;
        let flags = u64_at(bytes, 40)?;
        let is_compressed = flags & (LZ4 | ZSTD) != 0;
        let payload = if is_compressed { whole.get(..compressed)? } else { whole };
        Some(Self {
            kind: u16_at(bytes, 0)?,
            flags,
            size: usize::try_from(u64_at(bytes, 56)?).ok()?,
            payload,
            end,
        })
    }

    fn image(&self) -> Option<Image> {
        let unpacked;
        let bytes = if self.flags & ZSTD != 0 {
            return None;
        } else if self.flags & LZ4 != 0 {
            unpacked = lz4::decompress(self.payload, self.size)?;
            &unpacked
        } else {
            self.payload
        };
        match self.kind {
            ELF => elf::parse(bytes),
            PTX => ptx::parse(text(bytes).ok()?).ok(),
            _ => None,
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &[u8] = b".version 8.0\n.entry k() { ret; }\0";

    /// A fat binary of one entry.
    fn binary(kind: u16, flags: u64, size: usize, payload: &[u8]) -> Vec<u8> {
        let padded = payload.len().next_multiple_of(8);
        let mut entry = vec![0; ENTRY_HEAD];
        entry[..2].copy_from_slice(&kind.to_le_bytes());
        entry[4..8].copy_from_slice(&u32::try_from(ENTRY_HEAD).unwrap().to_le_bytes());
        entry[8..16].copy_from_slice(&u64::try_from(padded).unwrap().to_le_bytes());
        entry[16..20].copy_from_slice(&u32::try_from(payload.len()).unwrap().to_le_bytes());
        entry[40..48].copy_from_slice(&flags.to_le_bytes());
        entry[56..64].copy_from_slice(&u64::try_from(size).unwrap().to_le_bytes());
        entry.extend(payload);
        entry.resize(ENTRY_HEAD + padded, 0);
        let mut all = MAGIC.to_vec();
        all.extend([1, 0, 16, 0]);
        all.extend(u64::try_from(entry.len()).unwrap().to_le_bytes());
        all.extend(entry);
        all
    }

    #[test]
    fn kernels_are_read_from_an_entry_compressed_or_not() {
        let plain = parse(&binary(PTX, 0, 0, CODE)).unwrap();
        assert!(plain.kernel("k").is_some() && plain.kernel("x").is_none());
        let mut block = vec![0xf0, u8::try_from(CODE.len() - 15).unwrap()];
        block.extend(CODE);
        assert_eq!(parse(&binary(PTX, LZ4, CODE.len(), &block)), Some(plain));
    }

    #[test]
    fn an_entry_that_cannot_be_read_may_have_any_kernel() {
        assert!(parse(&binary(PTX, ZSTD, 9, b"whatever")).unwrap().is_opaque);
        assert!(parse(&binary(99, 0, 9, b"whatever")).unwrap().is_opaque);
    }

    #[test]
    fn a_cut_binary_is_refused() {
        let whole = binary(PTX, 0, 0, CODE);
        for length in 0..whole.len() {
            assert_eq!(parse(&whole[..length]), None, "{length}");
        }
    }
}
