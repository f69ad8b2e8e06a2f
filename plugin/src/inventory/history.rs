//! When each device came, so that others can tell whether it is still the one that they knew.
//!
//! A device that was away, or whose node was started anew, is as good as another one: what lay on it is gone. Its
//! *incarnation* is the second in which it came, and always greater than the last one. It outlives the agent, by a file.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use contract::Uuid;
use serde::{Deserialize, Serialize};
use tracing::warn;

use crate::folder::{Folder, PRIVATE};

/// The file in the agent's directory.
const FILE: &str = "devices.json";

/// A file that is longer is not ours.
const MOST: u64 = 1 << 20;

/// Where the kernel says which start of the machine this is.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// When devices came.
#[derive(Debug)]
pub struct History {
    folder: Folder,
    lives: Lives,
}

/// What the file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Lives {
    boot: String,
    devices: BTreeMap<String, Life>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Life {
    incarnation: u64,
    is_away: bool,
}

impl History {
    /// What the directory `state` has, for the present start of the machine.
    ///
    /// # Errors
    /// The directory cannot be used, or the kernel does not say which start this is. A file that cannot be read is as none.
    pub fn open(state: &Path) -> io::Result<Self> {
        let folder = Folder::open(state, PRIVATE)?;
        let boot = std::fs::read_to_string(BOOT_ID)?;
        let text = folder.read(FILE, MOST)?.unwrap_or_default();
        let kept = serde_json::from_slice(&text).unwrap_or_default();
        Ok(Self { folder, lives: Lives::since(kept, boot.trim()) })
    }

    /// Takes note of which devices are there now. Returns the incarnation of each that ever was.
    pub fn observe(&mut self, there: impl Iterator<Item = Uuid>) -> BTreeMap<Uuid, u64> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        if self.lives.observe(there, now) {
            self.keep();
        }
        let all = self.lives.devices.iter();
        all.filter_map(|(uuid, life)| Some((uuid.parse().ok()?, life.incarnation))).collect()
    }

    /// Without a file, an agent that is started anew takes all devices for new ones: that is safe.
    fn keep(&self) {
        let text = serde_json::to_vec(&self.lives).map_err(io::Error::from);
        if let Err(error) = text.and_then(|text| self.folder.write(FILE, &text, 0o600)) {
            warn!(%error, "when devices came is not kept");
        }
    }
}

impl Lives {
    /// What is `kept`, at the start `boot` of the machine: after another one, no device is the one that it was.
    fn since(mut kept: Self, boot: &str) -> Self {
        if kept.boot != boot {
            kept.devices.values_mut().for_each(|life| life.is_away = true);
            boot.clone_into(&mut kept.boot);
        }
        kept
    }

    /// Whether anything is new.
    fn observe(&mut self, there: impl Iterator<Item = Uuid>, now: u64) -> bool {
        let there: Vec<String> = there.map(|uuid| uuid.to_string()).collect();
        let before = self.devices.clone();
        for (uuid, life) in &mut self.devices {
            life.is_away |= !there.contains(uuid);
        }
        for uuid in there {
            let life = self.devices.entry(uuid).or_insert(Life { incarnation: 0, is_away: true });
            if life.is_away {
                *life = Life { incarnation: now.max(life.incarnation.saturating_add(1)), is_away: false };
            }
        }
        self.devices != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Uuid = Uuid([1; 16]);
    const OTHER: Uuid = Uuid([2; 16]);

    fn lives(devices: &[Uuid], now: u64) -> Lives {
        let mut lives = Lives { boot: "first".to_owned(), ..Lives::default() };
        lives.observe(devices.iter().copied(), now);
        lives
    }

    fn incarnation(lives: &Lives, uuid: Uuid) -> u64 {
        lives.devices[&uuid.to_string()].incarnation
    }

    #[test]
    fn a_device_that_stays_is_the_same_and_one_that_was_away_is_another() {
        let mut lives = lives(&[ONE, OTHER], 100);
        assert!(!lives.observe([ONE, OTHER].into_iter(), 200));
        assert!(lives.observe([OTHER].into_iter(), 300));
        assert!(lives.observe([ONE, OTHER].into_iter(), 400));
        assert_eq!((incarnation(&lives, ONE), incarnation(&lives, OTHER)), (400, 100));
    }

    #[test]
    fn incarnations_grow_although_the_clock_was_set_back() {
        let mut lives = lives(&[ONE], 100);
        lives.observe([].into_iter(), 50);
        lives.observe([ONE].into_iter(), 50);
        assert_eq!(incarnation(&lives, ONE), 101);
    }

    #[test]
    fn devices_outlive_the_agent_and_not_the_start_of_their_machine() {
        let mut same = Lives::since(lives(&[ONE], 100), "first");
        assert!(!same.observe([ONE].into_iter(), 200));
        let mut next = Lives::since(lives(&[ONE], 100), "second");
        assert!(next.observe([ONE].into_iter(), 200));
        assert_eq!(incarnation(&next, ONE), 200);
    }

    #[test]
    fn what_is_kept_is_read_again_and_what_is_no_record_is_none() {
        let state = tempfile::tempdir().unwrap();
        let place = state.path().join("vgpu");
        let told = History::open(&place).unwrap().observe([ONE].into_iter());
        let mut again = History::open(&place).unwrap();
        assert_eq!(again.observe([ONE].into_iter()), told);
        std::fs::write(place.join(FILE), "{").unwrap();
        assert!(History::open(&place).unwrap().observe([].into_iter()).is_empty());
    }
}
