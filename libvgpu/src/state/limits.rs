//! Which limit is in force for a GPU.

use super::gpus;
use super::page::{self, Page};
use super::settings::Settings;
use crate::clock;
use contract::env::{CorePolicy, EnvLimits};
use contract::limits_page::{ComputeWords, Effective, EnvShare, InForce, NO_LIMIT, in_force};
use contract::{Bytes, Uuid};
use core::time::Duration;
use policy::compute::Share;

/// No limit.
pub(crate) const UNLIMITED: Bytes = Bytes(policy::quota::NO_LIMIT);

/// The limits of this process, GPU by GPU.
pub(crate) struct Limits {
    page: Option<Page>,
    env: EnvLimits,
    /// The container's GPUs in NVML's order, where the environment limits single ones.
    order: Vec<Uuid>,
    /// Whether the environment limits the share of any GPU, or forces a page's limit to be one.
    env_limits_cores: bool,
}

impl Limits {
    /// # Errors
    /// One line for standard error: single GPUs are limited by their index and NVML cannot tell their order.
    pub(super) fn new(settings: Settings) -> Result<Self, String> {
        let Settings { page, env } = settings;
        let order = if env.needs_order() { gpus::in_order()? } else { Vec::new() };
        let env_limits_cores = match env.policy() {
            CorePolicy::Default => env.limits_cores(),
            CorePolicy::Force => env.limits_cores() || page.is_some(),
            CorePolicy::Disable => false,
        };
        Ok(Self { page, env, order, env_limits_cores })
    }

    /// The limit of one GPU.
    pub(super) fn of(&'static self, uuid: Uuid) -> Limit {
        // A GPU that NVML does not list has no index; the limit for all of them is still its own.
        let index = self.order.iter().position(|gpu| *gpu == uuid).unwrap_or(usize::MAX);
        let env = self.env.memory(index).unwrap_or(UNLIMITED);
        let share = EnvShare { cores: self.env.cores(index), policy: self.env.policy() };
        let page = self.page.as_ref().map(|page| PageLimit { page, uuid, position: page.position(uuid) });
        Limit { page, env, env_share: share }
    }

    /// Whether launches on any GPU are to be metered now. One or two loads while nothing changes.
    #[inline]
    pub(super) fn meter_any(&self) -> bool {
        self.env_limits_cores || self.page.as_ref().is_some_and(Page::meters_any)
    }
}

/// The limit of one GPU, wherever it comes from.
pub(crate) struct Limit {
    page: Option<PageLimit>,
    env: Bytes,
    env_share: EnvShare,
}

struct PageLimit {
    page: &'static Page,
    uuid: Uuid,
    position: Option<usize>,
}

impl Limit {
    /// The limit now in force. The page rules; the environment can only tighten it.
    #[inline]
    pub(crate) fn bytes(&self) -> Bytes {
        self.of_page().min(self.env)
    }

    /// Whether it is the environment's, which no page loosens.
    pub(crate) fn is_of_environment(&self) -> bool {
        self.env < self.of_page()
    }

    /// Whether launches on the GPU are to be metered now. A few loads, and no look at the clock.
    #[inline]
    pub(crate) fn is_metered(&self) -> bool {
        let EnvShare { cores, policy } = self.env_share;
        let own = cores.is_some() && policy != CorePolicy::Disable;
        let forced = |words: &ComputeWords| policy == CorePolicy::Force && words.cores != NO_LIMIT;
        own || self.compute_words().is_some_and(|words| page::meters(&words) || forced(&words))
    }

    /// Whether the GPU's gate may be closed. Costs a load.
    #[inline]
    pub(crate) fn may_be_gated(&self) -> bool {
        self.compute_words()
            .is_some_and(|words| Effective::from_word(words.effective).is_some_and(|now| now.is_gated))
    }

    /// How much of the GPU's time may be used now.
    pub(crate) fn share(&self) -> Share {
        // What the page and the environment call a share is one here.
        Share::from_permille(self.compute().share.get()).unwrap_or(Share::FULL)
    }

    /// Whether the GPU's gate is closed now.
    pub(crate) fn is_gated(&self) -> bool {
        self.compute().is_gated
    }

    fn compute(&self) -> InForce {
        in_force(self.compute_words(), self.env_share, Duration::from_nanos(clock::monotonic().0))
    }

    /// Whether somebody shares the GPU's time out, who may want it back at any moment.
    pub(crate) fn is_shared_out(&self) -> bool {
        self.compute_words().is_some_and(|words| words.effective != 0)
    }

    /// `None` also where the page does not list the GPU: nothing can be held there, and so nothing be launched.
    #[inline]
    fn compute_words(&self) -> Option<ComputeWords> {
        let limit = self.page.as_ref()?;
        Some(limit.page.compute_words(limit.place()?))
    }

    #[inline]
    fn of_page(&self) -> Bytes {
        self.page.as_ref().map_or(UNLIMITED, PageLimit::bytes)
    }
}

impl PageLimit {
    /// A GPU that the page does not list may be added to it later; until then nothing of it is ours.
    #[inline]
    fn bytes(&self) -> Bytes {
        match self.place() {
            Some(position) => self.page.memory_limit(position).unwrap_or(UNLIMITED),
            None => Bytes::ZERO,
        }
    }

    #[inline]
    fn place(&self) -> Option<usize> {
        self.position.or_else(|| self.page.position(self.uuid))
    }
}
