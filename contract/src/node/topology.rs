//! How the GPUs of a node are connected, in vgpu-manager's form.
//!
//! `[{"index":0,"links":{"1":[5,10]}}]`: of each GPU to each other one the way through the machine, 1 to 6, and then as many
//! NVLinks as the number is above 6; either may be missing.

use std::collections::BTreeMap;

use super::{RegistrationError, check_count};
use crate::json::Json;
use crate::text::Foreign;

/// The most NVLinks that the form can tell.
const NVLINKS_MAX: u32 = 18;

/// The number of the last way; NVLinks are counted from there.
const LAST_WAY: u32 = 6;

/// The way from one GPU to another through the machine, the shorter the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// Through the link between processors.
    CrossCpu,
    /// Through one processor, by several host bridges.
    SameCpu,
    /// Through one host bridge.
    HostBridge,
    /// Through several PCIe switches.
    SeveralSwitches,
    /// Through one PCIe switch.
    OneSwitch,
    /// Without leaving the board.
    SameBoard,
}

impl Way {
    /// All of them, in the order of their numbers, from 1.
    const ALL: [Self; 6] = [
        Self::CrossCpu,
        Self::SameCpu,
        Self::HostBridge,
        Self::SeveralSwitches,
        Self::OneSwitch,
        Self::SameBoard,
    ];
}

/// How two GPUs are connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// Through the machine, where that is known.
    pub way: Option<Way>,
    /// NVLinks between them, directly or through a switch.
    pub nvlinks: u32,
}

/// The connections of each GPU to each other one, by their places in the driver's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeTopology(pub BTreeMap<u32, BTreeMap<u32, Connection>>);

impl NodeTopology {
    /// The value of the annotation [`topology`](crate::resources::Domain::node_topology). More NVLinks than 18 are told as 18.
    #[must_use]
    pub fn annotation(&self) -> String {
        let gpu = |(index, links): (&u32, &BTreeMap<u32, Connection>)| {
            let links = links.iter().map(|(peer, connection)| (peer.to_string(), encode(*connection)));
            Json::object([("index", Json::number((*index).into())), ("links", Json::Object(links.collect()))])
        };
        Json::List(self.0.iter().map(gpu).collect()).to_string()
    }

    /// Reads the annotation.
    ///
    /// # Errors
    /// [`RegistrationError`]: the first thing that is wrong.
    pub fn from_annotation(text: &str) -> Result<Self, RegistrationError> {
        let json: Json = text.parse().map_err(|error| RegistrationError(format!("{error}")))?;
        let Json::List(gpus) = json else { return Err(fault("the topology is", &json)) };
        check_count("the topology has", gpus.len())?;
        let mut all = BTreeMap::new();
        for gpu in gpus {
            let (index, links) = decode_gpu(gpu)?;
            if all.insert(index, links).is_some() {
                return Err(RegistrationError(format!("the topology has GPU {index} twice")));
            }
        }
        Ok(Self(all))
    }
}

fn encode(connection: Connection) -> Json {
    let way = connection.way.and_then(|way| Way::ALL.iter().position(|of| *of == way));
    let way = way.and_then(|position| u64::try_from(position + 1).ok());
    let nvlinks = connection.nvlinks.min(NVLINKS_MAX);
    let nvlinks = (nvlinks > 0).then_some(u64::from(LAST_WAY + nvlinks));
    Json::List([way, nvlinks].into_iter().flatten().map(Json::number).collect())
}

fn decode_gpu(json: Json) -> Result<(u32, BTreeMap<u32, Connection>), RegistrationError> {
    let Json::Object(fields) = json else { return Err(fault("a GPU of the topology is", &json)) };
    let get = |name: &str| fields.iter().find(|(field, _)| field == name).map(|(_, value)| value);
    let Some(Json::Number(index)) = get("index") else {
        return Err(RegistrationError("a GPU of the topology has no index".to_owned()));
    };
    // What has no peer may be written as no links at all.
    let links = match get("links") {
        Some(Json::Object(links)) => links.as_slice(),
        Some(Json::Null) | None => &[],
        Some(other) => return Err(fault("links of the topology are", other)),
    };
    check_count("a GPU of the topology is linked with", links.len())?;
    let links = links.iter().map(|(peer, types)| Ok((number(peer)?, decode(types)?)));
    Ok((number(index)?, links.collect::<Result<_, _>>()?))
}

fn decode(json: &Json) -> Result<Connection, RegistrationError> {
    let Json::List(types) = json else { return Err(fault("a link of the topology is", json)) };
    let mut connection = Connection::default();
    for kind in types {
        let Json::Number(digits) = kind else { return Err(fault("a link of the topology has", kind)) };
        match number(digits)? {
            // A link of which nothing is known.
            0 => {}
            nvlinks if nvlinks > LAST_WAY + NVLINKS_MAX => {
                return Err(RegistrationError(format!("a link of the topology has {nvlinks}")));
            }
            nvlinks if nvlinks > LAST_WAY => connection.nvlinks = nvlinks - LAST_WAY,
            way => connection.way = usize::try_from(way - 1).ok().and_then(|at| Way::ALL.get(at).copied()),
        }
    }
    Ok(connection)
}

fn number(digits: &str) -> Result<u32, RegistrationError> {
    digits.parse().map_err(|_| RegistrationError(format!("the topology has {}, no number", Foreign(digits))))
}

fn fault(what: &str, json: &Json) -> RegistrationError {
    RegistrationError(format!("{what} {}", json.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn written_as_vgpu_manager_writes_it() {
        let switched = Connection { way: Some(Way::OneSwitch), nvlinks: 4 };
        let far = Connection { way: Some(Way::CrossCpu), nvlinks: 0 };
        let topology = NodeTopology(
            [(0, [(1, switched), (2, far)].into()), (1, [(0, switched)].into()), (3, BTreeMap::new())].into(),
        );
        let text = r#"[{"index":0,"links":{"1":[5,10],"2":[1]}},{"index":1,"links":{"0":[5,10]}},{"index":3,"links":{}}]"#;
        assert_eq!(topology.annotation(), text);
        assert_eq!(NodeTopology::from_annotation(text), Ok(topology));
        let many = NodeTopology([(0, [(1, Connection { way: None, nvlinks: 40 })].into())].into());
        assert_eq!(many.annotation(), r#"[{"index":0,"links":{"1":[24]}}]"#);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |text: &str| NodeTopology::from_annotation(text).unwrap_err().to_string();
        assert_eq!(error("{}"), "the topology is an object");
        assert_eq!(error("[{}]"), "a GPU of the topology has no index");
        assert_eq!(error(r#"[{"index":0,"links":{"1":[25]}}]"#), "a link of the topology has 25");
        assert_eq!(error(r#"[{"index":0},{"index":0}]"#), "the topology has GPU 0 twice");
        let many = NodeTopology((0..65).map(|index| (index, BTreeMap::new())).collect());
        assert_eq!(error(&many.annotation()), "the topology has 65 GPUs, the most is 64");
        let links = (0..65).map(|peer| (peer, Connection::default())).collect();
        let linked = NodeTopology([(0, links)].into());
        let said = error(&linked.annotation());
        assert_eq!(said, "a GPU of the topology is linked with 65 GPUs, the most is 64");
        assert!(error(r#"[{"index":-1}]"#).contains("-1"));
        assert!(NodeTopology::from_annotation(r#"[{"index":0,"links":null}]"#).is_ok());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            gpus in prop::collection::btree_map(
                0_u32..20,
                prop::collection::btree_map(0_u32..20, (prop::option::of(0_usize..6), 0_u32..=18), 0..5),
                0..5,
            ),
        ) {
            let of = |(way, nvlinks): (Option<usize>, u32)| Connection { way: way.map(|at| Way::ALL[at]), nvlinks };
            let topology = NodeTopology(
                gpus.into_iter()
                    .map(|(index, links)| (index, links.into_iter().map(|(peer, link)| (peer, of(link))).collect()))
                    .collect(),
            );
            prop_assert_eq!(NodeTopology::from_annotation(&topology.annotation()), Ok(topology));
        }
    }
}
