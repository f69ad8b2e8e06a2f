//! How the GPU's time is shared: the words of an entry that say so, and what they mean together with the environment.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::{cores, share_policy};
use crate::env::CorePolicy;
use crate::{Percent, Permille};

/// What a compute share means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SharePolicy {
    /// The most, also while nobody else wants any.
    #[default]
    Fixed,
    /// The least that it can have, and a part of what others leave unused.
    Balance,
    /// Nothing: there is no limit.
    Unlimited,
}

impl SharePolicy {
    /// All policies, by the number in the page.
    pub const ALL: [Self; 3] = [Self::Fixed, Self::Balance, Self::Unlimited];

    /// What people call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Balance => "balance",
            Self::Unlimited => "none",
        }
    }

    pub(super) const fn word(self) -> u64 {
        match self {
            Self::Fixed => 0,
            Self::Balance => 1,
            Self::Unlimited => 2,
        }
    }
}

impl fmt::Display for SharePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SharePolicy {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let policy = Self::ALL.into_iter().find(|policy| policy.name() == text);
        policy.ok_or("write fixed, balance or none")
    }
}

/// What the owner of balance and priorities on this machine allows at the moment, all in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effective {
    /// The share of who is under [`SharePolicy::Balance`]; the others have their own.
    pub share: Permille,
    /// Whether a higher priority is active, for which this slice has to stand back.
    pub is_gated: bool,
    /// When this was written, since the origin of `CLOCK_MONOTONIC`; kept in microseconds.
    pub at: Duration,
}

/// Bits of the word that hold the share.
const SHARE_BITS: u32 = 10;
/// The bit that says that the gate is closed.
const GATE: u64 = 1 << SHARE_BITS;
/// Bits below the time.
const TIME_SHIFT: u32 = SHARE_BITS + 1;

impl Effective {
    /// How long it holds if it is not written again.
    pub const HOLDS_FOR: Duration = Duration::from_secs(1);

    /// The word. Never 0, which says that nothing was written.
    #[must_use]
    pub fn word(self) -> u64 {
        let time = u64::try_from(self.at.as_micros()).unwrap_or(u64::MAX) << TIME_SHIFT;
        time | if self.is_gated { GATE } else { 0 } | u64::from(self.share.get())
    }

    /// What the word says; `None`: nothing that makes sense, as in a page that has no owner.
    #[must_use]
    pub fn from_word(word: u64) -> Option<Self> {
        let share = u16::try_from(word & (GATE - 1)).ok().and_then(Permille::new)?;
        let at = Duration::from_micros(word >> TIME_SHIFT);
        Some(Self { share, is_gated: word & GATE != 0, at })
    }

    /// Whether it still holds at `now`. One from a time that has not come yet is another clock's, unless that is close.
    #[must_use]
    pub fn holds(self, now: Duration) -> bool {
        self.at.abs_diff(now) < Self::HOLDS_FOR
    }
}

/// The words of an entry that decide how much of a GPU's time a process may use, each loaded whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputeWords {
    /// The word at [`cores_word`](super::cores_word).
    pub cores: u64,
    /// The word at [`policy_word`](super::policy_word).
    pub policy: u64,
    /// The word at [`effective_word`](super::effective_word).
    pub effective: u64,
}

/// What the environment of a process says about its compute share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnvShare {
    /// The limit; `None` is no limit.
    pub cores: Option<Percent>,
    /// When limits apply.
    pub policy: CorePolicy,
}

/// How much of a GPU's time a process may use at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InForce {
    /// The share; all of it is no limit.
    pub share: Permille,
    /// Whether it has to stand back for a higher priority.
    pub is_gated: bool,
}

/// What holds at `now` by a page, if there is one with an entry for the GPU, and by the environment, which can make it tighter
/// and never looser.
///
/// `disable` in the environment takes the environment's own limit away. `force` makes the page's share the most under every
/// policy.
#[must_use]
pub fn in_force(page: Option<ComputeWords>, env: EnvShare, now: Duration) -> InForce {
    let own = match env.policy {
        CorePolicy::Default | CorePolicy::Force => env.cores.map_or(Permille::ALL, Permille::from),
        CorePolicy::Disable => Permille::ALL,
    };
    let Some(page) = page else { return InForce { share: own, is_gated: false } };
    // A share that makes no sense is the smallest: a limit that cannot be read is not "no limit".
    let entitled = match cores(page.cores) {
        Ok(cores) => cores.map_or(Permille::ALL, Permille::from),
        Err(_) => Permille::LEAST,
    };
    let effective = Effective::from_word(page.effective).filter(|effective| effective.holds(now));
    let allowed = match share_policy(page.policy) {
        _ if env.policy == CorePolicy::Force => entitled,
        Ok(SharePolicy::Unlimited) => Permille::ALL,
        Ok(SharePolicy::Balance) => effective.map_or(entitled, |effective| effective.share.max(entitled)),
        Ok(SharePolicy::Fixed) | Err(_) => entitled,
    };
    InForce { share: allowed.min(own), is_gated: effective.is_some_and(|effective| effective.is_gated) }
}
