//! Whose a process is that has a GPU open.
//!
//! A container of ours has its region mounted at a fixed place, and the kernel says for each process what is mounted where it runs,
//! and from where. That needs no runtime and no layout of control groups, and a program can change it only if it may mount.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use contract::paths::CONTAINER_REGION;
use contract::{Bytes, Uuid};

use crate::inventory::{GpuUse, ProcessUse};
use crate::slice::Owner;

/// The most that is read of one process's list of mounts.
const LONGEST: u64 = 1 << 20;

/// What the driver sees of containers, by GPU and container. A GPU with a process that cannot be looked at from here is missing:
/// nothing can be said of its containers.
#[derive(Debug, Default)]
pub(super) struct Seen(BTreeMap<Uuid, BTreeMap<Owner, SeenUse>>);

/// What the driver sees of the processes of one container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenUse {
    /// Their memory.
    pub memory: Bytes,
    /// Percent of the last moment in which the GPU worked for them; `None` where the driver does not tell.
    pub busy: Option<u64>,
}

impl SeenUse {
    const NOTHING: Self = Self { memory: Bytes::ZERO, busy: Some(0) };

    fn and(self, process: ProcessUse) -> Self {
        let busy = self.busy.zip(process.busy).map(|(sum, busy)| sum + u64::from(busy));
        Self { memory: self.memory.saturating_add(process.used), busy }
    }
}

impl Seen {
    /// Looks at every process of `uses`, in `proc`, which is `/proc`.
    pub(super) fn new(uses: &[GpuUse], proc: &Path) -> Self {
        let of_gpu = |gpu: &GpuUse| Some((gpu.uuid, owners(gpu, proc).ok()?));
        Self(uses.iter().filter_map(of_gpu).collect())
    }

    /// What `owner` has of `gpu`; `None` where that cannot be told.
    pub(super) fn of(&self, gpu: Uuid, owner: &Owner) -> Option<SeenUse> {
        Some(self.0.get(&gpu)?.get(owner).copied().unwrap_or(SeenUse::NOTHING))
    }
}

fn owners(gpu: &GpuUse, proc: &Path) -> io::Result<BTreeMap<Owner, SeenUse>> {
    let mut owners = BTreeMap::<Owner, SeenUse>::new();
    for process in &gpu.processes {
        let mut mounts = Vec::new();
        let file = File::open(proc.join(process.pid.to_string()).join("mountinfo"))?;
        file.take(LONGEST).read_to_end(&mut mounts)?;
        // Who may mount chooses names, also such as are no text.
        if let Some(owner) = owner(&String::from_utf8_lossy(&mounts)) {
            let sum = owners.entry(owner).or_insert(SeenUse::NOTHING);
            *sum = sum.and(*process);
        }
    }
    Ok(owners)
}

/// Whose region is mounted, by the lines of `/proc/<pid>/mountinfo`: the fourth field is where in its file system a mount is from,
/// the fifth where it is. What was mounted first was there before the container's own processes.
fn owner(mounts: &str) -> Option<Owner> {
    let from = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ').skip(3);
        let (from, at) = (fields.next()?, fields.next()?);
        (at == CONTAINER_REGION).then_some(from)
    })?;
    Owner::of_region(Path::new(from.trim_end_matches("//deleted")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Uuid = Uuid([1; 16]);

    fn mounts(region: &str) -> String {
        format!(
            "100 99 0:50 / / rw - overlay overlay rw\n\
             101 100 8:1 {region} /etc/vgpu/region rw,relatime - ext4 /dev/sda1 rw\n\
             102 100 8:1 /elsewhere/q_other/region /etc/vgpu/region rw - ext4 /dev/sda1 rw\n"
        )
    }

    fn owner_named(name: &str) -> Owner {
        Owner::of_region(&Path::new("/").join(name).join("region")).unwrap()
    }

    #[test]
    fn a_process_is_its_containers_whose_region_is_mounted() {
        for region in ["/var/lib/vgpu/containers/p_main/region", "/vgpu/containers/p_main/region//deleted"] {
            assert_eq!(owner(&mounts(region)), Some(owner_named("p_main")), "{region}");
        }
        for region in ["/region", "/x/region", "/x/p_main/limits", "/x/p_main/region/y", ""] {
            assert_eq!(owner(&mounts(region)), None, "{region}");
        }
        assert_eq!(owner("nonsense\n\n1 2 3"), None);
    }

    #[test]
    fn memory_is_added_up_by_container_unless_a_process_cannot_be_seen() {
        let proc = tempfile::tempdir().unwrap();
        for (pid, text) in
            [(10, mounts("/c/p_main/region")), (11, mounts("/c/p_main/region")), (12, String::new())]
        {
            let place = proc.path().join(pid.to_string());
            std::fs::create_dir(&place).unwrap();
            std::fs::write(place.join("mountinfo"), text).unwrap();
        }
        let gpu = |pids: &[u32]| GpuUse {
            uuid: GPU,
            used: Bytes(0),
            reserved: Bytes(0),
            busy: None,
            processes: pids.iter().map(|&pid| ProcessUse { pid, used: Bytes(5), busy: Some(pid) }).collect(),
        };
        let seen = Seen::new(&[gpu(&[10, 11, 12])], proc.path());
        let both = SeenUse { memory: Bytes(10), busy: Some(21) };
        assert_eq!(seen.of(GPU, &owner_named("p_main")), Some(both));
        assert_eq!(seen.of(GPU, &owner_named("q_main")), Some(SeenUse::NOTHING));
        assert_eq!(Seen::new(&[gpu(&[10, 4_000_000])], proc.path()).of(GPU, &owner_named("p_main")), None);
    }

    #[test]
    fn a_mount_whose_name_is_no_text_hides_nobody() {
        let proc = tempfile::tempdir().unwrap();
        std::fs::create_dir(proc.path().join("10")).unwrap();
        let text = [mounts("/c/p_main/region").as_bytes(), b"103 100 0:51 / /tmp/\xff rw - tmpfs tmpfs rw\n"]
            .concat();
        std::fs::write(proc.path().join("10/mountinfo"), text).unwrap();
        let processes = vec![ProcessUse { pid: 10, used: Bytes(5), busy: None }];
        let gpu = GpuUse { uuid: GPU, used: Bytes(5), reserved: Bytes(0), busy: None, processes };
        let seen = Seen::new(&[gpu], proc.path()).of(GPU, &owner_named("p_main"));
        assert_eq!(seen, Some(SeenUse { memory: Bytes(5), busy: None }));
    }
}
