//! The region as a process sees it before it takes part.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract::{Bytes, Uuid};
use policy::compute::Nanos;
use rustix::fs::OFlags;

use crate::devices::{DeviceIndex, DevicesFull, find_or_claim};
use crate::error::{JoinError, LockFault, OpenError, OpenFault};
use crate::file::{FileIdentity, OpenFile, Sharing, open_or_create, reopen};
use crate::holders::{self, Holder};
use crate::mapping::RegionMapping;
use crate::member::Member;

/// An open region. It stays usable in a forked child.
#[derive(Clone, Debug)]
pub struct Region {
    shared: Arc<Mapped>,
}

/// The mapping and where it came from. No descriptor stays open: an application may close any that it finds.
#[derive(Debug)]
pub(crate) struct Mapped {
    pub(crate) file: RegionMapping,
    pub(crate) path: PathBuf,
    identity: FileIdentity,
}

impl Region {
    /// Opens the region of one user's processes at `path`, or makes one with mode 0600.
    ///
    /// If `path` holds another program's data, such as HAMi's region, `<path>.vgpu` is used instead.
    ///
    /// # Errors
    /// [`OpenError`] when there is no whole region afterwards.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::open_as(path, Sharing::Private)
    }

    /// Like [`Region::open`], for a region that processes of several users share: a new file has mode 0666,
    /// whatever the umask.
    ///
    /// # Errors
    /// [`OpenError`] when there is no whole region afterwards.
    pub fn open_shared(path: &Path) -> Result<Self, OpenError> {
        Self::open_as(path, Sharing::AmongUsers)
    }

    fn open_as(path: &Path, sharing: Sharing) -> Result<Self, OpenError> {
        // The file is opened again for locks, and the working directory may change until then.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let OpenFile { file, path, identity } = open_or_create(&path, sharing)?;
        match RegionMapping::new(file.as_fd()) {
            Ok(file) => Ok(Self { shared: Arc::new(Mapped { file, path, identity }) }),
            Err(error) => {
                Err(OpenError { path, fault: OpenFault::System { what: "map it", error: error.into() } })
            }
        }
    }

    /// The file that is in use: the path asked for, made absolute, or its sibling.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// The entry of the GPU `uuid`, made if it has none. It stays the same for the life of the file.
    ///
    /// # Errors
    /// [`DevicesFull`] when the region has no entry left.
    pub fn device(&self, uuid: Uuid) -> Result<DeviceIndex, DevicesFull> {
        find_or_claim(&self.shared.file.devices, uuid)
    }

    /// What all members hold on `device`, dead ones included until they are reaped.
    #[must_use]
    pub fn total(&self, device: DeviceIndex) -> Bytes {
        Bytes(self.shared.file.ledger(device).total())
    }

    /// The living processes that hold memory of `device`. Together they hold the [total](Self::total), but for what dead ones
    /// held that nobody has reaped.
    #[must_use]
    pub fn holders(&self, device: DeviceIndex) -> Vec<Holder> {
        holders::of(&self.shared, device)
    }

    /// GPU time on `device` that the processes of the slice have measured so far, together, also those that are gone.
    #[must_use]
    pub fn busy(&self, device: DeviceIndex) -> Nanos {
        self.shared.file.compute(device).trim.metered()
    }

    /// How often a process has joined, or the remains of one have been cleared up: while that stays the same, so do the members, but
    /// for those that have died and were not [reaped](Member::reap).
    #[must_use]
    pub fn changes(&self) -> u64 {
        let file = &self.shared.file;
        file.used_slots().fold(0, |sum, slot| sum.wrapping_add(file.slot(slot).tenure()))
    }

    /// Makes the calling process a member. A forked child must do this for itself.
    ///
    /// # Errors
    /// [`JoinError`] when 1,024 living processes are members already, or the file cannot be locked.
    pub fn join(&self) -> Result<Member, JoinError> {
        Member::join(Arc::clone(&self.shared))
            .map_err(|fault| JoinError { path: self.shared.path.clone(), fault })
    }
}

impl Mapped {
    /// A new description of the mapped file, for locks.
    pub(crate) fn for_locks(&self) -> Result<OwnedFd, LockFault> {
        let file = reopen(&self.path, self.identity, OFlags::RDWR);
        file.map_err(LockFault::because("open it"))?.ok_or(LockFault::Replaced)
    }

    /// Whether `file` is a descriptor of the mapped file.
    pub(crate) fn is_descriptor_of(&self, file: impl AsFd) -> bool {
        rustix::fs::fstat(file).is_ok_and(|stat| FileIdentity::from(&stat) == self.identity)
    }
}
