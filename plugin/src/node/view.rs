//! The devices as they are offered: what there is, seen through the node's settings. Pure.

use contract::claim::Mib;

use crate::inventory::Driver;
use crate::inventory::census::Census;
use crate::inventory::health::Member;
use crate::kubelet::devices::{Advertised, devices};
use crate::proto::deviceplugin::Device;
use crate::settings::node::NodeSettings;

/// Percent of compute time that a GPU has.
const CORES: u32 = 100;

/// One device that is offered, or is to be known as not offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What it is.
    pub member: Member,
    /// Memory that may be claimed, all claims together.
    pub memory: Mib,
    /// Percent of its time that may be claimed, all claims together.
    pub cores: u32,
    /// Is it for others, as the settings or the device itself say?
    withheld: Option<&'static str>,
}

/// All devices of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// In the driver's order.
    pub offers: Vec<Offer>,
    /// What holds for them.
    pub settings: NodeSettings,
    /// What the driver says about itself.
    pub driver: Driver,
}

impl View {
    /// The view of `census` through `settings`. A device without memory is none.
    #[must_use]
    pub fn new(census: &Census, settings: &NodeSettings) -> Self {
        let offers = census.members.iter().filter_map(|member| Offer::new(member, settings));
        Self { offers: offers.collect(), settings: settings.clone(), driver: census.driver.clone() }
    }

    /// What kubelet counts. What is withheld is not among it.
    #[must_use]
    pub fn devices(&self) -> Vec<Device> {
        let offered = self.offers.iter().filter(|offer| offer.withheld.is_none());
        let advertised = offered.map(|offer| Advertised {
            gpu: offer.member.gpu.uuid,
            parts: self.settings.split_count,
            healthy: offer.member.fault.is_none(),
            numa_hint: offer.member.gpu.numa.filter(|_| self.settings.numa_hints),
        });
        devices(&advertised.collect::<Vec<_>>())
    }
}

impl Offer {
    fn new(member: &Member, settings: &NodeSettings) -> Option<Self> {
        let gpu = &member.gpu;
        let is_excluded = settings.exclude.iter().any(|excluded| excluded.has(gpu));
        let withheld = match (is_excluded, gpu.mig) {
            (true, _) => Some("the node's configuration excludes it"),
            (false, true) => Some("it is divided into MIG instances"),
            (false, false) => None,
        };
        let memory = u32::try_from(gpu.memory.0 >> 20).unwrap_or(u32::MAX);
        Some(Self {
            member: member.clone(),
            memory: Mib::new(settings.memory_scaling.of(memory))?,
            cores: settings.cores_scaling.of(CORES),
            withheld,
        })
    }

    /// Why nobody can be given it now.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.withheld.map(str::to_owned).or_else(|| self.member.fault.clone())
    }
}
