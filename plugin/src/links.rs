//! Where the container runtime has no CDI: what a container gets are mounts, which `Allocate` has to name before anybody knows whose
//! they are. So they are of a directory that the answer's token names, and whose links are set before the container is created.
//!
//! That makes the slice as exact as with CDI. GPUs and driver are not part of it: NVIDIA's runtime adds those that `Allocate` names,
//! which are the ones that kubelet has chosen. A claim for other GPUs is refused.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Component, Path};

use contract::Uuid;
use contract::env::REGION;
use contract::paths;

use crate::cdi::compose::SliceFiles;
use crate::folder::{Folder, PRIVATE};
use crate::identity::token::Token;
use crate::kubelet::devices::DeviceId;
use crate::proto::deviceplugin::{ContainerAllocateResponse, Mount};

/// The directories, below the agent's.
pub const DIRECTORY: &str = "tokens";

/// What is linked to in the directory of a token, where the container finds it, and whether only to read.
const MOUNTS: [(&str, &str, bool); 4] = [
    (LIBRARY, paths::CONTAINER_LIBRARY, true),
    (PRELOAD, paths::PRELOAD, true),
    (LIMITS, paths::LIMITS_DIR, true),
    (ACCOUNT, paths::CONTAINER_REGION, false),
];
const LIBRARY: &str = "libvgpu.so";
const PRELOAD: &str = "ld.so.preload";
const LIMITS: &str = "limits";
const ACCOUNT: &str = "region";

/// The answer to `Allocate` for a container that gets the devices `ids`.
#[must_use]
pub fn answer(state: &Path, token: Token, ids: &[String]) -> ContainerAllocateResponse {
    let place = state.join(DIRECTORY).join(token.to_string());
    let mounts = MOUNTS.map(|(name, container, read_only)| Mount {
        container_path: container.to_owned(),
        host_path: place.join(name).display().to_string(),
        read_only,
    });
    let gpus: Vec<String> = gpus_of(ids).iter().map(Uuid::to_string).collect();
    let variables =
        [(REGION, paths::CONTAINER_REGION.to_owned()), ("NVIDIA_VISIBLE_DEVICES", gpus.join(","))];
    ContainerAllocateResponse {
        envs: HashMap::from(variables.map(|(name, value)| (name.to_owned(), value))),
        mounts: mounts.into(),
        ..ContainerAllocateResponse::default()
    }
}

/// The GPUs that kubelet's `ids` name.
#[must_use]
pub fn gpus_of(ids: &[String]) -> BTreeSet<Uuid> {
    ids.iter().filter_map(|id| id.parse::<DeviceId>().ok()).map(|id| id.gpu).collect()
}

/// The token of the mount of `host_path`, if it is one of ours.
#[must_use]
pub fn token_in(host_path: &str) -> Option<Token> {
    let mut parts = Path::new(host_path).components().rev().skip(1);
    let (Some(Component::Normal(token)), Some(Component::Normal(directory))) = (parts.next(), parts.next())
    else {
        return None;
    };
    if directory == DIRECTORY { token.to_str()?.parse().ok() } else { None }
}

/// The directories of tokens.
#[derive(Debug)]
pub struct Links {
    folder: Folder,
}

impl Links {
    /// Those below `state`; made if they are not there.
    ///
    /// # Errors
    /// They cannot be made, or others may write there.
    pub fn open(state: &Path) -> io::Result<Self> {
        Ok(Self { folder: Folder::open(&state.join(DIRECTORY), PRIVATE)? })
    }

    /// Those that an agent has left below `state` that delivered so: containers that it answered for still have their mounts there.
    ///
    /// # Errors
    /// As [`Links::open`].
    pub fn left(state: &Path) -> io::Result<Option<Self>> {
        state.join(DIRECTORY).is_dir().then(|| Self::open(state)).transpose()
    }

    /// Sets what the mounts of `token` are of. The runtime follows the links when it creates the container.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn write(&self, token: Token, files: &SliceFiles<'_>) -> io::Result<()> {
        let folder = self.folder.child(&token.to_string(), PRIVATE)?;
        let SliceFiles { library, preload, limits_dir, region } = *files;
        for (name, target) in
            [(LIBRARY, library), (PRELOAD, preload), (LIMITS, limits_dir), (ACCOUNT, region)]
        {
            folder.link(name, target)?;
        }
        Ok(())
    }

    /// Removes the links of `token`, if there are any.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn remove(&self, token: Token) -> io::Result<()> {
        self.folder.remove_all(&token.to_string())
    }

    /// The tokens that have links.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn tokens(&self) -> io::Result<Vec<Token>> {
        Ok(self.folder.names()?.iter().filter_map(|name| name.parse().ok()).collect())
    }

    /// The files that the mounts of libraries are of.
    ///
    /// # Errors
    /// Those of the system.
    pub fn libraries(&self) -> io::Result<BTreeSet<std::path::PathBuf>> {
        let link = |token: Token| self.folder.path().join(token.to_string()).join(LIBRARY);
        let target = |token: Token| match std::fs::read_link(link(token)) {
            // Who set the links died before this one.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            result => Some(result),
        };
        self.tokens()?.into_iter().filter_map(target).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn token(text: &str) -> Token {
        text.repeat(32).parse().unwrap()
    }

    #[test]
    fn what_is_mounted_is_found_by_way_of_the_token() {
        let state = tempfile::tempdir().unwrap();
        let ids = ["GPU-00000000-0000-0000-0000-00000000000a::3".to_owned(), "other".to_owned()];
        let answer = answer(state.path(), token("a"), &ids);
        assert_eq!(answer.envs["NVIDIA_VISIBLE_DEVICES"], "GPU-00000000-0000-0000-0000-00000000000a");
        assert!(answer.mounts.iter().all(|mount| token_in(&mount.host_path) == Some(token("a"))));
        let writable: Vec<_> = answer.mounts.iter().filter(|mount| !mount.read_only).collect();
        assert_eq!((writable.len(), &*writable[0].container_path), (1, paths::CONTAINER_REGION));
        let links = Links::open(state.path()).unwrap();
        for run in ["first", "second"] {
            let file = state.path().join(run);
            fs::write(&file, run).unwrap();
            let files = SliceFiles { limits_dir: &file, region: &file, preload: &file, library: &file };
            links.write(token("a"), &files).unwrap();
            for mount in &answer.mounts {
                assert_eq!(fs::read_to_string(&mount.host_path).unwrap(), run);
            }
            assert_eq!(links.libraries().unwrap(), [file].into());
        }
        assert_eq!(links.tokens().unwrap(), [token("a")]);
        links.remove(token("a")).unwrap();
        assert_eq!(links.tokens().unwrap(), []);
    }

    #[test]
    fn mounts_of_others_have_no_token() {
        let token = "a".repeat(32);
        for path in ["", "/", "/x", &format!("/tokens/{token}"), &format!("/other/{token}/region")] {
            assert_eq!(token_in(path), None, "{path}");
        }
    }
}
