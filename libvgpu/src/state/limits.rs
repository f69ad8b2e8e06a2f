//! Which limit is in force for a GPU.

use super::gpus;
use super::page::Page;
use super::settings::Settings;
use contract::env::EnvLimits;
use contract::{Bytes, Uuid};

/// No limit.
pub(crate) const UNLIMITED: Bytes = Bytes(policy::quota::NO_LIMIT);

/// The limits of this process, GPU by GPU.
pub(crate) struct Limits {
    page: Option<Page>,
    env: EnvLimits,
    /// The container's GPUs in NVML's order, where the environment limits single ones.
    order: Vec<Uuid>,
}

impl Limits {
    /// # Errors
    /// One line for standard error: single GPUs are limited by their index and NVML cannot tell their order.
    pub(super) fn new(settings: Settings) -> Result<Self, String> {
        let Settings { page, env } = settings;
        let order = if env.needs_order() { gpus::in_order()? } else { Vec::new() };
        Ok(Self { page, env, order })
    }

    /// The limit of one GPU.
    pub(super) fn of(&'static self, uuid: Uuid) -> Limit {
        // A GPU that NVML does not list has no index; the limit for all of them is still its own.
        let index = self.order.iter().position(|gpu| *gpu == uuid).unwrap_or(usize::MAX);
        let env = self.env.memory(index).unwrap_or(UNLIMITED);
        let page = self.page.as_ref().map(|page| PageLimit { page, uuid, position: page.position(uuid) });
        Limit { page, env }
    }
}

/// The limit of one GPU, wherever it comes from.
pub(crate) struct Limit {
    page: Option<PageLimit>,
    env: Bytes,
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

    #[inline]
    fn of_page(&self) -> Bytes {
        self.page.as_ref().map_or(UNLIMITED, PageLimit::bytes)
    }
}

impl PageLimit {
    /// A GPU that the page does not list may be added to it later; until then nothing of it is ours.
    #[inline]
    fn bytes(&self) -> Bytes {
        match self.position.or_else(|| self.page.position(self.uuid)) {
            Some(position) => self.page.memory_limit(position).unwrap_or(UNLIMITED),
            None => Bytes::ZERO,
        }
    }
}
