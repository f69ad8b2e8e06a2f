//! vgpu-manager's form: `main[0_GPU-…_30_2000,1_GPU-…_30_2000];side[0_GPU-…_10_512]`, that is for each container the host's
//! index, the UUID, percent of the GPU's time and MiB.
//!
//! Only read. It names neither pod nor node, so whoever reads it says where it was found.

use std::collections::BTreeMap;

use super::{Claim, ClaimError, ClaimedDevice, ContainerName, Mib, PodUid};
use crate::Percent;
use crate::text::Foreign;

impl Claim {
    /// Reads the value of the annotation on `pod`, which was chosen for `node`.
    ///
    /// Blanks mean nothing. A share of 0 is no limit. Indexes are those of the scheduler's list and identify nothing.
    ///
    /// # Errors
    /// [`ClaimError`]: the first thing that is wrong.
    pub fn from_pre_allocated(text: &str, pod: PodUid, node: String) -> Result<Self, ClaimError> {
        let text: String = text.chars().filter(|character| !character.is_whitespace()).collect();
        let mut containers = BTreeMap::new();
        for part in text.split(';').filter(|part| !part.is_empty()) {
            let (name, devices) = container(part)?;
            if containers.insert(name.clone(), devices).is_some() {
                return Err(ClaimError::new(format_args!("container {name} is named twice")));
            }
        }
        Self::new(pod, node, containers)
    }
}

fn container(part: &str) -> Result<(ContainerName, Vec<ClaimedDevice>), ClaimError> {
    let malformed =
        || ClaimError::new(format_args!("{} is not a container with devices, as in main[…]", Foreign(part)));
    let (name, devices) =
        part.strip_suffix(']').and_then(|part| part.split_once('[')).ok_or_else(malformed)?;
    let name: ContainerName = name.parse().map_err(ClaimError::new)?;
    let devices = devices.split(',').filter(|device| !device.is_empty());
    let devices = devices.map(|text| device(text, &name)).collect::<Result<_, _>>()?;
    Ok((name, devices))
}

fn device(text: &str, container: &ContainerName) -> Result<ClaimedDevice, ClaimError> {
    let wrong =
        |what: &str| ClaimError::new(format_args!("container {container}: {}: {what}", Foreign(text)));
    let parts: Vec<&str> = text.split('_').collect();
    let [index, uuid, cores, memory] = parts[..] else {
        return Err(wrong("it is not index, UUID, percent and MiB with _ between them"));
    };
    index.parse::<u32>().map_err(|_| wrong("its index is no number"))?;
    let uuid = uuid.parse().map_err(|_| wrong("its UUID is not that of a GPU"))?;
    let cores = match cores.parse::<u8>() {
        Ok(0) => None,
        Ok(share) => Some(Percent::new(share).ok_or_else(|| wrong("its share is more than 100 percent"))?),
        Err(_) => return Err(wrong("its share is no number of percent")),
    };
    let memory = memory.parse().ok().and_then(Mib::new);
    let memory = memory.ok_or_else(|| wrong("its memory is not 1 MiB or more"))?;
    Ok(ClaimedDevice { uuid, memory, cores })
}
