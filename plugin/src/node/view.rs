//! The devices as they are offered: what there is, seen through the node's settings. Pure.

use std::collections::BTreeMap;

use contract::Uuid;
use contract::claim::Mib;
use contract::node::{NodeRegistration, NodeTopology, RegisteredGpu};

use crate::claims::capacity::Card;
use crate::inventory::Driver;
use crate::inventory::census::Census;
use crate::inventory::health::Member;
use crate::inventory::links::Links;
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

/// What a node has, as resources count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// Percent of the time of one GPU.
    pub cores: u64,
    /// Units of as many MiB as the node's settings say.
    pub memory: u64,
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
    links: Links,
    incarnations: BTreeMap<Uuid, u64>,
}

impl View {
    /// The view of `census` through `settings`. A device without memory is none.
    #[must_use]
    pub fn new(census: &Census, settings: &NodeSettings) -> Self {
        let offers = census.members.iter().filter_map(|member| Offer::new(member, settings));
        let Census { driver, links, incarnations, .. } = census.clone();
        Self { offers: offers.collect(), settings: settings.clone(), driver, links, incarnations }
    }

    /// Has the driver answered yet?
    #[must_use]
    pub fn is_known(&self) -> bool {
        !self.driver.version.is_empty()
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

    /// What claims are held against.
    #[must_use]
    pub fn cards(&self) -> Vec<Card> {
        let card = |offer: &Offer| Card {
            uuid: offer.member.gpu.uuid,
            index: Some(offer.member.gpu.index),
            memory: offer.memory,
            cores: offer.cores,
            slots: self.settings.split_count,
            fault: offer.fault(),
        };
        self.offers.iter().map(card).collect()
    }

    /// What the scheduler needs to know.
    #[must_use]
    pub fn registration(&self) -> NodeRegistration {
        let gpu = |offer: &Offer| {
            let gpu = offer.member.gpu.clone();
            RegisteredGpu {
                index: gpu.index,
                uuid: gpu.uuid,
                model: gpu.model,
                cores: offer.cores,
                memory: offer.memory.0.get(),
                split_count: self.settings.split_count,
                numa: gpu.numa,
                mig: gpu.mig,
                pci: gpu.pci,
                capability: gpu.capability,
                healthy: offer.fault().is_none(),
                incarnation: self.incarnations.get(&gpu.uuid).copied().unwrap_or_default(),
            }
        };
        NodeRegistration {
            gpus: self.offers.iter().map(gpu).collect(),
            split_count: self.settings.split_count,
            memory_factor: self.settings.memory_factor,
            memory_scaling: self.settings.memory_scaling.thousandths(),
            cores_scaling: self.settings.cores_scaling.thousandths(),
        }
    }

    /// How they are connected.
    #[must_use]
    pub fn topology(&self) -> NodeTopology {
        self.links.topology(self.offers.iter().map(|offer| &offer.member.gpu))
    }

    /// Percent of compute time and units of memory of all devices that can be given out now, as resources count them.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let good = || self.offers.iter().filter(|offer| offer.fault().is_none());
        let mib: u64 = good().map(|offer| u64::from(offer.memory.0.get())).sum();
        Totals {
            cores: good().map(|offer| u64::from(offer.cores)).sum(),
            memory: mib / u64::from(self.settings.memory_factor),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::Gpu;
    use crate::settings::exclude::Excluded;
    use crate::settings::scaling::Scaling;
    use contract::Bytes;

    fn member(index: u32, fault: Option<&str>) -> Member {
        let gpu = Gpu {
            index,
            uuid: Uuid([u8::try_from(index).unwrap() + 1; 16]),
            model: "NVIDIA H100 80GB HBM3".to_owned(),
            memory: Bytes::from_mib(1000).unwrap(),
            pci: String::new(),
            numa: Some(1),
            capability: (9, 0),
            mig: index == 3,
        };
        Member { gpu, fault: fault.map(str::to_owned) }
    }

    fn view(settings: &NodeSettings) -> View {
        let members = vec![member(0, None), member(1, Some("lost")), member(2, None), member(3, None)];
        View::new(&Census { members, ..Census::default() }, settings)
    }

    #[test]
    fn what_is_withheld_is_not_counted_by_kubelet_and_refused_to_claims() {
        let exclude = vec![Excluded::Indices(2..=2)];
        let settings = NodeSettings { split_count: 2, exclude, ..NodeSettings::default() };
        let view = view(&settings);
        let health: Vec<String> = view.devices().into_iter().map(|device| device.health).collect();
        assert_eq!(health, ["Healthy", "Healthy", "Unhealthy", "Unhealthy"]);
        let faults: Vec<_> = view.cards().into_iter().map(|card| card.fault).collect();
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(
            faults,
            [
                None,
                said("lost"),
                said("the node's configuration excludes it"),
                said("it is divided into MIG instances")
            ]
        );
    }

    #[test]
    fn memory_and_time_are_scaled() {
        let [memory_scaling, cores_scaling] = [0.9, 2.0].map(|value| Scaling::new(value).unwrap());
        let settings = NodeSettings { memory_scaling, cores_scaling, ..NodeSettings::default() };
        let card = &view(&settings).cards()[0];
        assert_eq!((card.memory, card.cores), (Mib::new(900).unwrap(), 200));
        let totals = view(&NodeSettings { memory_factor: 3, ..settings }).totals();
        assert_eq!(totals, Totals { cores: 400, memory: 600 });
    }

    #[test]
    fn kubelet_aligns_with_devices_only_where_that_is_asked_for() {
        let hinted = |numa_hints| {
            let settings = NodeSettings { numa_hints, ..NodeSettings::default() };
            view(&settings).devices()[0].topology.is_some()
        };
        assert!(!hinted(false));
        assert!(hinted(true));
    }
}
