//! What a program file is, as far as its first bytes tell: enough to know whether the loader will obey `LD_PRELOAD`.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// What a file is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Image {
    /// A text that another program runs.
    Script { interpreter: PathBuf },
    /// A 64-bit little-endian ELF file.
    Elf64 {
        /// The processor, an `EM_` number.
        machine: u16,
        /// The dynamic loader that it asks for; none in libraries and statically linked programs.
        loader: Option<PathBuf>,
    },
    /// An ELF file of another width or byte order.
    OtherElf,
    /// Anything else.
    Unknown,
}

/// The processor this program is made for, an `EM_` number.
pub(crate) const THIS_MACHINE: u16 = if cfg!(target_arch = "aarch64") { EM_AARCH64 } else { EM_X86_64 };
const EM_X86_64: u16 = 62;
const EM_AARCH64: u16 = 183;

const PT_INTERP: u32 = 3;
const ELFCLASS64: u8 = 2;
const ELFDATA2LSB: u8 = 1;
/// Bytes of an ELF header, of one program header, and the most of a path or a first line that is read.
const HEADER: usize = 64;
const PROGRAM_HEADER: usize = 56;
const LINE: usize = 256;

/// Looks at the file at `path`.
pub(crate) fn look(path: &Path) -> io::Result<Image> {
    let file = File::open(path)?;
    let head = read_up_to(&file, LINE)?;
    Ok(match head.as_slice() {
        [b'#', b'!', line @ ..] => script(line),
        [0x7f, b'E', b'L', b'F', ELFCLASS64, ELFDATA2LSB, ..] if head.len() >= HEADER => elf64(&file, &head)?,
        [0x7f, b'E', b'L', b'F', ..] => Image::OtherElf,
        _ => Image::Unknown,
    })
}

fn read_up_to(file: &File, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(u64::try_from(length).unwrap_or(u64::MAX)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn script(line: &[u8]) -> Image {
    // As the kernel does: a carriage return is no blank, but part of the name.
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match line.split(|byte| matches!(byte, b' ' | b'\t')).find(|word| !word.is_empty()) {
        None => Image::Unknown,
        Some(path) => Image::Script { interpreter: to_path(path) },
    }
}

fn elf64(file: &File, header: &[u8]) -> io::Result<Image> {
    let machine = u16_at(header, 18);
    let table = u64_at(header, 32);
    let size = u64::from(u16_at(header, 54));
    for index in 0..u64::from(u16_at(header, 56)) {
        let mut entry = [0; PROGRAM_HEADER];
        match file.read_exact_at(&mut entry, table.saturating_add(index * size)) {
            Ok(()) if u32_at(&entry, 0) == PT_INTERP => {
                return Ok(Image::Elf64 { machine, loader: Some(loader(file, &entry)?) });
            }
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(Image::Unknown),
            Err(error) => return Err(error),
        }
    }
    Ok(Image::Elf64 { machine, loader: None })
}

fn loader(file: &File, entry: &[u8]) -> io::Result<PathBuf> {
    let length = usize::try_from(u64_at(entry, 32)).unwrap_or(LINE).min(LINE);
    let mut path = vec![0; length];
    let read = file.read_at(&mut path, u64_at(entry, 8))?;
    path.truncate(read);
    Ok(to_path(path.split(|byte| *byte == 0).next().unwrap_or_default()))
}

fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes[at..].first_chunk().map_or(0, |chunk| u16::from_le_bytes(*chunk))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::fs;

    /// A 64-bit ELF file with nothing but headers, asking for `loader`.
    pub(crate) fn elf(machine: u16, loader: Option<&str>) -> Vec<u8> {
        let mut file = vec![0; HEADER];
        file[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', ELFCLASS64, ELFDATA2LSB, 1]);
        file[18..20].copy_from_slice(&machine.to_le_bytes());
        file[32..40].copy_from_slice(&64u64.to_le_bytes());
        file[54..56].copy_from_slice(&56u16.to_le_bytes());
        file[56..58].copy_from_slice(&2u16.to_le_bytes());
        let mut entries = vec![0; 2 * PROGRAM_HEADER];
        let path = loader.map(|path| format!("{path}\0")).unwrap_or_default();
        if loader.is_some() {
            let entry = &mut entries[PROGRAM_HEADER..];
            entry[..4].copy_from_slice(&PT_INTERP.to_le_bytes());
            entry[8..16].copy_from_slice(&(64 + 112u64).to_le_bytes());
            entry[32..40].copy_from_slice(&(path.len() as u64).to_le_bytes());
        }
        [file, entries, path.into_bytes()].concat()
    }

    fn look_at(bytes: &[u8]) -> Image {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("program");
        fs::write(&path, bytes).expect("a file");
        look(&path).expect("readable")
    }

    #[test]
    fn dynamic_and_static_programs() {
        let loader = Some(PathBuf::from("/lib64/ld-linux-x86-64.so.2"));
        let dynamic = elf(EM_X86_64, Some("/lib64/ld-linux-x86-64.so.2"));
        assert_eq!(look_at(&dynamic), Image::Elf64 { machine: EM_X86_64, loader });
        assert_eq!(look_at(&elf(EM_AARCH64, None)), Image::Elf64 { machine: EM_AARCH64, loader: None });
    }

    #[test]
    fn this_very_program() {
        let image = look(&std::env::current_exe().expect("this program")).expect("readable");
        assert!(matches!(image, Image::Elf64 { machine: THIS_MACHINE, .. }), "{image:?}");
    }

    #[test]
    fn scripts() {
        let script = |path: &str| Image::Script { interpreter: PathBuf::from(path) };
        assert_eq!(look_at(b"#!/bin/sh\necho"), script("/bin/sh"));
        assert_eq!(look_at(b"#! /usr/bin/env python3\n"), script("/usr/bin/env"));
        assert_eq!(look_at(b"#!/bin/sh"), script("/bin/sh"));
        assert_eq!(look_at(b"#!\n/bin/sh"), Image::Unknown);
        assert_eq!(look_at(b"#!/bin/sh\r\necho"), script("/bin/sh\r"));
    }

    #[test]
    fn other_and_damaged_files() {
        assert_eq!(look_at(b""), Image::Unknown);
        assert_eq!(look_at(b"echo hello\n"), Image::Unknown);
        assert_eq!(look_at(b"\x7fELF"), Image::OtherElf);
        assert_eq!(look_at(b"\x7fELF\x01\x01\x01"), Image::OtherElf);
        let whole = elf(EM_X86_64, Some("/lib/ld"));
        assert_eq!(look_at(&whole[..100]), Image::Unknown);
        for length in 0..whole.len() {
            look_at(&whole[..length]);
        }
        let mut far = whole;
        far[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
        let dir = tempfile::tempdir().expect("a temporary directory");
        fs::write(dir.path().join("far"), far).expect("a file");
        let _ = look(&dir.path().join("far"));
    }
}
