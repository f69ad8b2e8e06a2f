//! Our specs, one file for each token, in a directory that the runtime watches.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::probe;
use super::spec::Spec;
use crate::folder::{Folder, VISIBLE};
use crate::identity::token::Token;

const PREFIX: &str = "vgpu.io-slice_";
const SUFFIX: &str = ".json";

/// A spec is what a driver's says, which is some ten KiB, and a few lines.
const MOST: u64 = 16 << 20;

/// The directory.
#[derive(Debug)]
pub struct Specs {
    folder: Folder,
}

impl Specs {
    /// Those in `dir`, which is made if it is not there. What an agent that died has left half done there goes.
    ///
    /// # Errors
    /// It cannot be made, or others may write there.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let folder = Folder::open(dir, VISIBLE)?;
        folder.sweep(PREFIX);
        probe::sweep(&folder);
        Ok(Self { folder })
    }

    /// Writes the spec of `token`.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn write(&self, token: Token, spec: &Spec) -> io::Result<()> {
        let text = serde_json::to_vec(spec).map_err(io::Error::other)?;
        self.folder.write(&name(token), &text, 0o644)
    }

    /// The files of the host that containers with one of our specs find at `path`.
    ///
    /// # Errors
    /// A spec cannot be read: then nobody can tell.
    pub fn mounted_at(&self, path: &str) -> io::Result<BTreeSet<PathBuf>> {
        let mut files = BTreeSet::new();
        for token in self.tokens()? {
            let Some(text) = self.folder.read(&name(token), MOST)? else { continue };
            let spec: Spec = serde_json::from_slice(&text).map_err(io::Error::other)?;
            let mounts = spec.devices.into_iter().flat_map(|device| device.container_edits.mounts);
            files.extend(
                mounts.filter(|mount| mount.container_path == path).map(|mount| mount.host_path.into()),
            );
        }
        Ok(files)
    }

    /// Removes the spec of `token`, if there is one.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn remove(&self, token: Token) -> io::Result<()> {
        self.folder.remove(&name(token))
    }

    /// The tokens that have a spec. Files of others are not ours to see.
    ///
    /// # Errors
    /// Those of the system, with the path.
    pub fn tokens(&self) -> io::Result<Vec<Token>> {
        let names = self.folder.names()?;
        let token = |name: &String| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.parse().ok();
        Ok(names.iter().filter_map(token).collect())
    }
}

fn name(token: Token) -> String {
    format!("{PREFIX}{token}{SUFFIX}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cdi::compose::{SliceFiles, compose};
    use crate::cdi::driver::DriverEdits;

    #[test]
    fn specs_come_and_go_beside_those_of_others() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("cdi");
        let specs = Specs::open(&dir).unwrap();
        std::fs::write(dir.join("nvidia.yaml"), "theirs").unwrap();
        let token = Token::draw().unwrap();
        let path = Path::new("/x");
        let files = SliceFiles { limits_dir: path, region: path, preload: path, library: path };
        let driver = DriverEdits { version: "0.6.0".to_owned(), edits: vec![] };
        let spec = compose(token, &driver, &files);
        specs.write(token, &spec).unwrap();
        specs.write(token, &spec).unwrap();
        assert_eq!(specs.tokens().unwrap(), [token]);
        let text = std::fs::read_to_string(dir.join(format!("vgpu.io-slice_{token}.json"))).unwrap();
        assert_eq!(serde_json::from_str::<Spec>(&text).unwrap(), spec);
        let library = specs.mounted_at(contract::paths::CONTAINER_LIBRARY).unwrap();
        assert_eq!(library, [PathBuf::from("/x")].into());
        specs.remove(token).unwrap();
        specs.remove(token).unwrap();
        assert_eq!(specs.tokens().unwrap(), []);
        assert!(dir.join("nvidia.yaml").exists());
    }

    #[test]
    fn what_an_agent_that_was_killed_was_writing_goes_and_what_others_write_stays() {
        let place = tempfile::tempdir().unwrap();
        let left = format!(".{}.new", name(Token::draw().unwrap()));
        for name in [&left, "vgpu.io-probe", ".vgpu.io-probe.new", ".nvidia.yaml.new", "nvidia.yaml"] {
            std::fs::write(place.path().join(name), "").unwrap();
        }
        Specs::open(place.path()).unwrap();
        let there = std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(there.collect::<BTreeSet<_>>(), [".nvidia.yaml.new".into(), "nvidia.yaml".into()].into());
    }
}
