//! The files of one container on the host.
//!
//! All of them belong to root, in directories that only root may enter. The container sees them through mounts: the limits page
//! and the linker's list read-only, and of all that only the region can be written: that file, not its directory, so that a container
//! can neither put other files on the host's disk nor a link where the agent will look.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use contract::claim::{ClaimedDevice, ContainerName, PodUid};
use contract::env::Priority;
use contract::limits_page::{self, Entry, Page, SharePolicy};
use contract::paths;
use monitor::shares::Place;
use tokio::sync::watch;

use crate::folder::{Folder, PRIVATE, VISIBLE, named};
use crate::selinux::Labels;

const LIMITS: &str = "limits";
const REGION: &str = "region";
const PRELOAD: &str = "ld.so.preload";

/// Whose files: name of a directory, and back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owner {
    /// The pod.
    pub pod: PodUid,
    /// The container.
    pub container: ContainerName,
}

impl Owner {
    /// Neither name has an underscore.
    fn dir(&self) -> String {
        format!("{}_{}", self.pod, self.container)
    }

    /// Whose region is at `path`, wherever the agent's directory is.
    #[must_use]
    pub fn of_region(path: &Path) -> Option<Self> {
        let is_region = path.file_name()? == REGION;
        Self::of_dir(path.parent()?.file_name()?.to_str()?).filter(|_| is_region)
    }

    fn of_dir(name: &str) -> Option<Self> {
        let (pod, container) = name.split_once('_')?;
        Some(Self { pod: pod.parse().ok()?, container: container.parse().ok()? })
    }
}

/// Where the files of a container are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The directory with the limits page.
    pub limits_dir: PathBuf,
    /// The accounting region.
    pub region: PathBuf,
    /// The linker's list of libraries.
    pub preload: PathBuf,
}

/// The files of all containers of this node.
#[derive(Debug)]
pub struct Slices {
    folder: Folder,
    labels: Labels,
    places: watch::Sender<BTreeSet<Place>>,
}

impl Slices {
    /// Those in `dir`, which is made if it is not there.
    ///
    /// # Errors
    /// It cannot be made, or others may write there.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let (folder, labels) = (Folder::open(dir, PRIVATE)?, Labels::of_machine());
        let slices = Self { folder, labels, places: watch::Sender::default() };
        let places = slices.owners()?.iter().map(|owner| slices.place(owner)).collect();
        slices.places.send_replace(places);
        Ok(slices)
    }

    /// Where containers have their pages and regions. Tells also when one of them was made anew.
    #[must_use]
    pub fn places(&self) -> watch::Receiver<BTreeSet<Place>> {
        self.places.subscribe()
    }

    fn place(&self, owner: &Owner) -> Place {
        let dir = self.folder.path().join(owner.dir());
        Place { limits: paths::limits_file(&dir.join(LIMITS)), region: dir.join(REGION) }
    }

    /// Makes the files of `owner` as a container that is about to be created needs them.
    ///
    /// A page that says the same already stays, with what else is in it, and so does a list: who starts again needs no room on
    /// the disk. A region that nobody uses is made anew, whatever the container's last run has left in it.
    ///
    /// # Errors
    /// The system cannot: one line with the path and the reason.
    pub fn make(
        &self,
        owner: &Owner,
        devices: &[ClaimedDevice],
        policy: SharePolicy,
        priority: Priority,
    ) -> io::Result<Files> {
        let page = page(devices, policy, priority)?;
        let folder = self.folder.child(&owner.dir(), PRIVATE)?;
        let limits = folder.child(LIMITS, VISIBLE)?;
        if !has_page(&limits, &page) {
            limits.write(paths::LIMITS_FILE, &page.encode(), 0o644)?;
        }
        let line = format!("{}\n", paths::CONTAINER_LIBRARY);
        if !has(&folder, PRELOAD, line.as_bytes()) {
            folder.write(PRELOAD, line.as_bytes(), 0o644)?;
        }
        let region = folder.path_of(REGION)?;
        if !monitor::regions::is_in_use(&region).unwrap_or(false) {
            folder.remove(REGION)?;
            monitor::regions::make(&region).map_err(|error| named(&region, io::Error::other(error)))?;
        }
        let files = Files { limits_dir: limits.path().to_owned(), region, preload: folder.path_of(PRELOAD)? };
        let page = paths::limits_file(&files.limits_dir);
        for path in [&files.limits_dir, &page, &files.region, &files.preload] {
            self.labels.open_to_containers(path)?;
        }
        self.places.send_modify(|places| _ = places.insert(self.place(owner)));
        Ok(files)
    }

    /// Whether a process of `owner` uses a GPU. Also where that cannot be told.
    #[must_use]
    pub fn is_in_use(&self, owner: &Owner) -> bool {
        monitor::regions::is_in_use(&self.region(owner)).unwrap_or(true)
    }

    /// Where the region of `owner` is, if it has been made.
    #[must_use]
    pub fn region(&self, owner: &Owner) -> PathBuf {
        self.folder.path().join(owner.dir()).join(REGION)
    }

    /// Whose files there are.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn owners(&self) -> io::Result<Vec<Owner>> {
        Ok(self.folder.names()?.iter().filter_map(|name| Owner::of_dir(name)).collect())
    }

    /// Removes the files of `owner`, if there are any.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn remove(&self, owner: &Owner) -> io::Result<()> {
        self.places.send_if_modified(|places| places.remove(&self.place(owner)));
        self.folder.remove_all(&owner.dir())
    }
}

fn page(devices: &[ClaimedDevice], policy: SharePolicy, priority: Priority) -> io::Result<Page> {
    let entry = |device: &ClaimedDevice| Entry {
        uuid: device.uuid,
        memory: Some(device.memory.bytes()),
        cores: device.cores,
        policy,
        priority,
    };
    Page::new(devices.iter().map(entry).collect()).map_err(io::Error::other)
}

/// Whether the page that is there gives the same limits.
fn has_page(limits: &Folder, page: &Page) -> bool {
    let most = u64::try_from(limits_page::SIZE).map_or(u64::MAX, |size| size + 1);
    let there = limits.read(paths::LIMITS_FILE, most).ok().flatten();
    there.and_then(|bytes| Page::decode(&bytes).ok()).is_some_and(|there| there.entries() == page.entries())
}

/// Whether the file `name` holds just this.
fn has(folder: &Folder, name: &str, content: &[u8]) -> bool {
    let most = u64::try_from(content.len()).map_or(u64::MAX, |size| size + 1);
    folder.read(name, most).ok().flatten().is_some_and(|there| there == content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::claim::Mib;
    use contract::{Bytes, Percent, Uuid};
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    fn owner(container: &str) -> Owner {
        Owner { pod: "3f1c2a9e-1d2b".parse().unwrap(), container: container.parse().unwrap() }
    }

    fn device(memory: u32) -> ClaimedDevice {
        ClaimedDevice { uuid: Uuid([1; 16]), memory: Mib::new(memory).unwrap(), cores: Percent::new(30) }
    }

    fn slices() -> (tempfile::TempDir, Slices) {
        let place = tempfile::tempdir().unwrap();
        let slices = Slices::open(&place.path().join("containers")).unwrap();
        (place, slices)
    }

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_container_can_read_its_limits_and_write_its_region_and_nothing_else() {
        let (_place, slices) = slices();
        let files = slices.make(&owner("main"), &[device(8192)], SharePolicy::Balance, Priority(0)).unwrap();
        let page = Page::decode(&fs::read(paths::limits_file(&files.limits_dir)).unwrap()).unwrap();
        let entry = page.entries()[0];
        assert_eq!((entry.memory, entry.cores), (Some(Bytes(8 << 30)), Percent::new(30)));
        assert_eq!((entry.policy, entry.priority), (SharePolicy::Balance, Priority(0)));
        assert_eq!(fs::read_to_string(&files.preload).unwrap(), "/usr/lib/vgpu/libvgpu.so\n");
        let modes =
            [&files.limits_dir, &paths::limits_file(&files.limits_dir), &files.preload, &files.region];
        assert_eq!(modes.map(|path| mode(path)), [0o755, 0o644, 0o644, 0o666]);
        assert_eq!(mode(files.region.parent().unwrap()), 0o700);
        assert_eq!(slices.owners().unwrap(), [owner("main")]);
        slices.remove(&owner("main")).unwrap();
        assert_eq!(slices.owners().unwrap(), []);
    }

    #[test]
    fn a_page_that_says_the_same_stays_and_one_that_does_not_is_replaced() {
        let (_place, slices) = slices();
        let inode = |files: &Files| fs::metadata(paths::limits_file(&files.limits_dir)).unwrap().ino();
        let make = |memory| {
            inode(&slices.make(&owner("main"), &[device(memory)], SharePolicy::Fixed, Priority(1)).unwrap())
        };
        let first = make(1);
        assert_eq!(make(1), first);
        assert_ne!(make(2), first);
    }

    #[test]
    fn the_linkers_list_stays_for_who_starts_again_and_is_mended_when_it_is_spoilt() {
        let (_place, slices) = slices();
        let make =
            || slices.make(&owner("main"), &[device(1)], SharePolicy::Fixed, Priority(1)).unwrap().preload;
        let inode = |path: &Path| fs::metadata(path).unwrap().ino();
        let first = inode(&make());
        assert_eq!(inode(&make()), first);
        fs::write(make(), "/usr/lib/vgpu/libvgpu.so\n/another.so\n").unwrap();
        assert_eq!(fs::read_to_string(make()).unwrap(), "/usr/lib/vgpu/libvgpu.so\n");
    }

    #[test]
    fn a_region_that_the_last_run_has_spoilt_is_made_anew() {
        let (_place, slices) = slices();
        let files = slices.make(&owner("main"), &[device(1)], SharePolicy::Fixed, Priority(1)).unwrap();
        let whole = fs::metadata(&files.region).unwrap().len();
        fs::write(&files.region, "rubbish").unwrap();
        slices.make(&owner("main"), &[device(1)], SharePolicy::Fixed, Priority(1)).unwrap();
        assert_eq!(fs::metadata(&files.region).unwrap().len(), whole);
        assert_ne!(&fs::read(&files.region).unwrap()[..7], b"rubbish");
        assert!(!slices.is_in_use(&owner("main")));
    }

    #[test]
    fn only_names_of_pods_and_containers_are_owners() {
        let (place, slices) = slices();
        for name in ["main", "p_Main", "a_b_c", "_main", "p_"] {
            fs::create_dir(place.path().join("containers").join(name)).unwrap();
        }
        assert_eq!(slices.owners().unwrap(), []);
    }
}
