//! Which GPUs `--gpus` means.

use std::fmt::{self, Display};

use contract::Uuid;
use monitor::gpus::{Gpu, Inventory};

use crate::failure::Failure;
use crate::say::warn;

/// The GPUs that `list` names, in its order.
pub(super) fn select<'a>(list: &str, inventory: &'a Inventory) -> Result<Vec<&'a Gpu>, Failure> {
    if inventory.gpus.is_empty() && inventory.broken.is_empty() {
        return Err(Failure::own("the GPU driver is here, but it has no GPU"));
    }
    if list == "all" {
        return all(inventory);
    }
    let mut chosen: Vec<(&str, &Gpu)> = Vec::new();
    for selector in list.split(',').map(str::trim) {
        let gpu = one(selector, list, inventory)?;
        if let Some((first, _)) = chosen.iter().find(|(_, other)| other.uuid == gpu.uuid) {
            return Err(Failure::usage(format_args!(
                "--gpus {list}: {first} and {selector} are the same GPU, {}; write it once",
                Shown(gpu)
            )));
        }
        chosen.push((selector, gpu));
    }
    Ok(chosen.into_iter().map(|(_, gpu)| gpu).collect())
}

fn all(inventory: &Inventory) -> Result<Vec<&Gpu>, Failure> {
    for broken in &inventory.broken {
        warn(format_args!("GPU {} does not answer and is left out: {}", broken.index, broken.reason));
    }
    if inventory.gpus.is_empty() {
        return Err(Failure::own("no GPU answers"));
    }
    Ok(inventory.gpus.iter().collect())
}

/// The GPU that `selector`, a part of `list`, names: an index, a UUID, or how one UUID alone begins.
fn one<'a>(selector: &str, list: &str, inventory: &'a Inventory) -> Result<&'a Gpu, Failure> {
    if selector.is_empty() {
        return Err(Failure::usage(format_args!(
            "--gpus {list:?} names no GPU at one place; write all, or indices and UUIDs separated by single commas"
        )));
    }
    if let Some(broken) = inventory.broken.iter().find(|gpu| gpu.index.to_string() == selector) {
        return Err(Failure::own(format_args!(
            "--gpus {list}: GPU {selector} does not answer: {}",
            broken.reason
        )));
    }
    let matches: Vec<&Gpu> =
        inventory.gpus.iter().filter(|gpu| is_meant(selector, Some(gpu.index), gpu.uuid)).collect();
    match matches.as_slice() {
        [gpu] => Ok(gpu),
        [] => Err(Failure::usage(format_args!(
            "--gpus {list}: there is no GPU {selector}; there is {}",
            Listed(&inventory.gpus.iter().collect::<Vec<_>>())
        ))),
        several => Err(Failure::usage(format_args!(
            "--gpus {list}: {selector} may be {}; write more of the UUID",
            Listed(several)
        ))),
    }
}

/// Digits alone are an index; anything else is the beginning of a UUID, with or without `GPU-`.
pub(crate) fn is_meant(selector: &str, index: Option<u32>, uuid: Uuid) -> bool {
    if selector.bytes().all(|byte| byte.is_ascii_digit()) {
        return index.is_some_and(|index| index.to_string() == selector);
    }
    let uuid = uuid.to_string();
    let digits = selector.strip_prefix(PREFIX).unwrap_or(selector).to_ascii_lowercase();
    !digits.is_empty() && uuid.strip_prefix(PREFIX).is_some_and(|uuid| uuid.starts_with(&digits))
}

const PREFIX: &str = "GPU-";

struct Shown<'a>(&'a Gpu);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.0.index, self.0.name, self.0.uuid)
    }
}

struct Listed<'a>(&'a [&'a Gpu]);

impl Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (place, gpu) in self.0.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}{}", Shown(gpu))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Bytes, Uuid};
    use monitor::gpus::BrokenGpu;

    fn gpu(index: u32, first: u8) -> Gpu {
        let mut uuid = [0x11; 16];
        uuid[0] = first;
        Gpu {
            index,
            uuid: Uuid(uuid),
            name: "NVIDIA H100 80GB HBM3".to_owned(),
            memory: Some(Bytes(80 << 30)),
        }
    }

    fn machine() -> Inventory {
        Inventory {
            gpus: vec![gpu(0, 0xab), gpu(1, 0xac), gpu(3, 0x12)],
            broken: vec![BrokenGpu { index: 2, reason: "GPU is lost".to_owned() }],
        }
    }

    fn indices(list: &str) -> Result<Vec<u32>, String> {
        let machine = machine();
        select(list, &machine)
            .map(|gpus| gpus.iter().map(|gpu| gpu.index).collect())
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn by_index_uuid_and_beginning() {
        let table: [(&str, &[u32]); 9] = [
            ("all", &[0, 1, 3]),
            ("0", &[0]),
            ("3,0", &[3, 0]),
            ("0, 1", &[0, 1]),
            ("GPU-ab", &[0]),
            ("ac111111-", &[1]),
            ("AC", &[1]),
            ("GPU-1", &[3]),
            ("GPU-ab111111-1111-1111-1111-111111111111,1", &[0, 1]),
        ];
        for (list, expected) in table {
            assert_eq!(indices(list).as_deref(), Ok(expected), "{list}");
        }
    }

    #[test]
    fn an_unknown_gpu_is_named_beside_those_there_are() {
        for unknown in
            ["7", "03", "-1", "GPU-ff", "GPU-", "gpu-ab", "h100", "GPU-ab111111-1111-1111-1111-111111111112"]
        {
            let error = indices(unknown).expect_err(unknown);
            let start = format!(
                "--gpus {unknown}: there is no GPU {unknown}; there is 0 (NVIDIA H100 80GB HBM3, GPU-ab"
            );
            assert!(error.starts_with(&start), "{error}");
        }
    }

    #[test]
    fn a_beginning_of_several_is_no_choice() {
        let error = indices("GPU-a").expect_err("two GPUs");
        assert!(error.starts_with("--gpus GPU-a: GPU-a may be 0 (NVIDIA H100 80GB HBM3, GPU-ab1"), "{error}");
        assert!(error.ends_with("); write more of the UUID") && !error.contains("GPU-12"), "{error}");
    }

    #[test]
    fn a_gpu_named_twice_is_refused() {
        let error = indices("0,GPU-ab").expect_err("the same GPU");
        assert!(error.starts_with("--gpus 0,GPU-ab: 0 and GPU-ab are the same GPU, 0 ("), "{error}");
    }

    #[test]
    fn an_empty_list_or_place_is_refused() {
        for list in ["", ",", "0,", ",0", "0,,1", " "] {
            assert!(
                indices(list)
                    .expect_err(list)
                    .starts_with(&format!("--gpus {list:?} names no GPU at one place; "))
            );
        }
    }

    #[test]
    fn a_broken_gpu_is_refused_with_its_reason() {
        assert_eq!(indices("2"), Err("--gpus 2: GPU 2 does not answer: GPU is lost".to_owned()));
    }

    #[test]
    fn machines_without_gpus() {
        let nothing = Inventory::default();
        let error = select("all", &nothing).expect_err("nothing").to_string();
        assert_eq!(error, "the GPU driver is here, but it has no GPU");
        let lost = Inventory { gpus: vec![], broken: machine().broken };
        assert_eq!(select("all", &lost).expect_err("all lost").to_string(), "no GPU answers");
        let error = select("0", &lost).expect_err("not there").to_string();
        assert_eq!(error, "--gpus 0: there is no GPU 0; there is none");
    }
}
