//! Code for real devices: the kernels and variables that an ELF file's symbols name.

use super::{Image, KernelSpec, Parameter, Variable};

pub(super) const MAGIC: &[u8] = b"\x7fELF";
/// Bytes of the head of a file of 64 bits.
pub(super) const HEAD: usize = 64;

/// Bytes of a section's head, of a segment's, of a symbol.
const SECTION: usize = 64;
const SEGMENT: usize = 56;
const SYMBOL: usize = 24;
/// Kinds of sections: a table of symbols, and one without contents in the file.
const SYMBOLS: u32 = 2;
const NO_CONTENTS: u32 = 8;
/// Flag of a section that is loaded.
const ALLOCATED: usize = 2;
/// Kinds of symbols.
const OBJECT: u8 = 1;
const FUNCTION: u8 = 2;
/// Bit of a symbol's visibility that marks a kernel.
const ENTRY: u8 = 0x10;
/// The attribute of a kernel's information that tells a parameter, and the format of one with a size.
const PARAMETER: [u8; 2] = [4, 0x17];

/// How long a file is, by its head: up to the end of its tables, which come last.
pub(super) fn length(head: &[u8]) -> Option<usize> {
    let is_64_bit = head.get(4) == Some(&2);
    let segments = table(head, 32, 56, SEGMENT)?;
    let sections = table(head, 40, 60, SECTION)?;
    is_64_bit.then(|| segments.1.max(sections.1).max(HEAD))
}

/// First byte and end of a table whose offset and number of entries are at these places of the head.
fn table(head: &[u8], offset: usize, count: usize, size: usize) -> Option<(usize, usize)> {
    let start = usize::try_from(u64::from_le_bytes(*head.get(offset..)?.first_chunk()?)).ok()?;
    let count = usize::from(u16::from_le_bytes(*head.get(count..)?.first_chunk()?));
    Some((start, start.checked_add(count.checked_mul(size)?)?))
}

/// Reads a file.
pub(super) fn parse(bytes: &[u8]) -> Option<Image> {
    length(bytes)?;
    let (start, end) = table(bytes, 40, 60, SECTION)?;
    let names = usize::from(u16::from_le_bytes(*bytes.get(62..)?.first_chunk()?));
    let sections: Vec<_> =
        bytes.get(start..end)?.chunks_exact(SECTION).map(|head| Section { file: bytes, head }).collect();
    let file = File { names: sections.get(names).and_then(Section::contents).unwrap_or_default(), sections };
    let mut image = Image { code: file.code(), ..Image::default() };
    for table in file.sections.iter().filter(|section| section.u32(4) == Some(SYMBOLS)) {
        let strings = file.sections.get(usize::try_from(table.u32(40)?).ok()?)?.contents()?;
        for symbol in table.contents()?.chunks_exact(SYMBOL) {
            file.take_in(&mut image, symbol, strings)?;
        }
    }
    Some(image)
}

struct File<'a> {
    sections: Vec<Section<'a>>,
    names: &'a [u8],
}

#[derive(Clone, Copy)]
struct Section<'a> {
    file: &'a [u8],
    head: &'a [u8],
}

impl<'a> Section<'a> {
    fn u32(&self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(*self.head.get(at..)?.first_chunk()?))
    }

    fn size(&self, at: usize) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(*self.head.get(at..)?.first_chunk()?)).ok()
    }

    fn contents(&self) -> Option<&'a [u8]> {
        if self.u32(4)? == NO_CONTENTS {
            return Some(&[]);
        }
        let start = self.size(24)?;
        self.file.get(start..start.checked_add(self.size(32)?)?)
    }
}

impl File<'_> {
    /// Bytes of what is loaded but for variables, which take memory of their own.
    fn code(&self) -> usize {
        let is_code = |section: &&Section<'_>| {
            section.size(8).is_some_and(|flags| flags & ALLOCATED != 0)
                && !self.name(section).is_some_and(|name| name.starts_with(".nv.global"))
        };
        self.sections.iter().filter(is_code).filter_map(|section| section.size(32)).sum()
    }

    fn name(&self, section: &Section<'_>) -> Option<&str> {
        string(self.names, usize::try_from(section.u32(0)?).ok()?)
    }

    fn take_in(&self, image: &mut Image, symbol: &[u8], strings: &[u8]) -> Option<()> {
        let name = string(strings, usize::try_from(u32::from_le_bytes(*symbol.first_chunk()?)).ok()?)?;
        let (kind, other) = (symbol[4] & 0xf, symbol[5]);
        image.needs_heap |= name == "malloc" && symbol.get(6..8) == Some(&[0, 0]);
        if kind == FUNCTION && other & ENTRY != 0 {
            let parameters = self.parameters(name);
            image.kernels.push(KernelSpec { parameters, ..KernelSpec::named(name) });
        } else if kind == OBJECT {
            let section = usize::from(u16::from_le_bytes(*symbol.get(6..)?.first_chunk()?));
            let start = usize::try_from(u64::from_le_bytes(*symbol.get(8..)?.first_chunk()?)).ok()?;
            let bytes = usize::try_from(u64::from_le_bytes(*symbol.get(16..)?.first_chunk()?)).ok()?;
            if let Some(section) = self.sections.get(section)
                && let Some(".nv.global" | ".nv.global.init" | ".nv.constant3") = self.name(section)
                && bytes > 0
            {
                let all = section.contents().unwrap_or_default();
                let contents = all.get(start..start.saturating_add(bytes)).unwrap_or_default().to_vec();
                image.variables.push(Variable { name: name.to_owned(), bytes, contents });
            }
        }
        Some(())
    }

    /// What the section of a kernel's information tells of its parameters: an index, a place and a size each.
    fn parameters(&self, kernel: &str) -> Option<Vec<Parameter>> {
        let wanted = format!(".nv.info.{kernel}");
        let section = self.sections.iter().find(|section| self.name(section) == Some(&wanted))?;
        let mut rest = section.contents()?;
        let mut found = Vec::new();
        while let [format, attribute, low, high, tail @ ..] = rest {
            // Only the last format has more than these four bytes.
            let size =
                if *format == PARAMETER[0] { usize::from(u16::from_le_bytes([*low, *high])) } else { 0 };
            let (value, next) = tail.split_at_checked(size)?;
            if [*format, *attribute] == PARAMETER
                && let [_, _, _, _, i0, i1, o0, o1, flags @ ..] = value
            {
                let size = usize::try_from(u32::from_le_bytes(*flags.first_chunk()?) >> 18).ok()?;
                let offset = usize::from(u16::from_le_bytes([*o0, *o1]));
                found.push((u16::from_le_bytes([*i0, *i1]), Parameter { offset, size }));
            }
            rest = next;
        }
        found.sort_by_key(|(index, _)| *index);
        Some(found.into_iter().map(|(_, parameter)| parameter).collect())
    }
}

/// The string of a table of strings that begins at a place.
fn string(table: &[u8], start: usize) -> Option<&str> {
    let rest = table.get(start..)?;
    str::from_utf8(rest.get(..rest.iter().position(|byte| *byte == 0)?)?).ok()
}
