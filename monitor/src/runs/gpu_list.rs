//! The GPUs of a running slice in a file: one line each, of index, UUID, bytes of memory (or `-`) and name.
//!
//! Only the one who starts a slice knows which driver it uses, and so which index and name belong to a UUID.

use std::path::Path;

use contract::Bytes;

use crate::gpus::Gpu;
use crate::plain;

/// The most that is read of a file: lines of 64 GPUs with names as long as NVML's.
const LONGEST: u64 = 64 * 256;

/// The content of the file.
pub(super) fn encode(gpus: &[&Gpu]) -> String {
    let line = |gpu: &&Gpu| {
        let memory = gpu.memory.map_or_else(|| "-".to_owned(), |memory| memory.to_string());
        format!("{} {} {memory} {}\n", gpu.index, gpu.uuid, gpu.name.replace('\n', " "))
    };
    gpus.iter().map(line).collect()
}

/// The GPUs in the file at `path`: those that can be read.
pub(super) fn read(path: &Path) -> Vec<Gpu> {
    let text = plain::read(path, LONGEST).ok().and_then(|content| String::from_utf8(content).ok());
    text.iter().flat_map(|text| text.lines()).filter_map(decode).collect()
}

fn decode(line: &str) -> Option<Gpu> {
    let mut parts = line.splitn(4, ' ');
    Some(Gpu {
        index: parts.next()?.parse().ok()?,
        uuid: parts.next()?.parse().ok()?,
        memory: match parts.next()? {
            "-" => None,
            bytes => Some(Bytes(bytes.parse().ok()?)),
        },
        name: parts.next()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Uuid;
    use std::fs;

    fn gpu(index: u32, memory: Option<Bytes>, name: &str) -> Gpu {
        Gpu { index, uuid: Uuid([7; 16]), name: name.to_owned(), memory }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let gpus = [gpu(0, Some(Bytes(81_559 << 20)), "NVIDIA H100 80GB HBM3"), gpu(7, None, "")];
        fs::write(home.path().join("gpus"), encode(&[&gpus[0], &gpus[1]])).expect("a file");
        assert_eq!(read(&home.path().join("gpus")), gpus);
    }

    #[test]
    fn what_is_not_understood_is_left_out() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let path = home.path().join("gpus");
        assert_eq!(read(&path), []);
        let good = encode(&[&gpu(3, None, "a\nb")]);
        fs::write(&path, format!("rubbish\n-1 x y z\n0 GPU-1 5\n{good}")).expect("a file");
        assert_eq!(read(&path), [gpu(3, None, "a b")]);
        fs::write(&path, [0xff; 40_000]).expect("a file");
        assert_eq!(read(&path), []);
    }
}
