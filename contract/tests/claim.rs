//! Claims are read as they were written, and refused with a line that names what is wrong.

use std::collections::BTreeMap;

use contract::claim::{Claim, ClaimedDevice, ContainerName, Mib};
use contract::{Percent, Uuid};
use proptest::prelude::*;

const POD: &str = "3f1c2a9e-1d2b-4c3d-8e4f-0123456789ab";
const GPU: &str = "GPU-1c5009f6-3637-cd7d-4955-5eaa038e563e";
const OTHER: &str = "GPU-220d2c17-3969-3911-209a-e08aa68ab060";

fn any_device() -> impl Strategy<Value = ClaimedDevice> {
    (any::<[u8; 16]>(), 1..=u32::MAX, 0_u8..=100).prop_map(|(uuid, memory, cores)| ClaimedDevice {
        uuid: Uuid(uuid),
        memory: Mib::new(memory).unwrap(),
        cores: Percent::new(cores),
    })
}

fn any_claim() -> impl Strategy<Value = Claim> {
    let devices = prop::collection::vec(any_device(), 1..4);
    let containers = prop::collection::btree_map("[a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?", devices, 1..4);
    ("[a-zA-Z0-9-]{1,64}", "[a-z0-9.-]{1,20}", containers).prop_filter_map(
        "devices differ",
        |(pod, node, containers)| {
            let containers = containers.into_iter().map(|(name, devices)| (name.parse().unwrap(), devices));
            Claim::new(pod.parse().unwrap(), node, containers.collect()).ok()
        },
    )
}

fn with(containers: &str) -> String {
    format!(r#"{{"version":1,"podUid":"{POD}","node":"n1","containers":{containers}}}"#)
}

fn refusal(text: &str) -> String {
    Claim::decode(text).unwrap_err().to_string()
}

/// What vgpu-manager's scheduler would write.
fn pre_allocated(claim: &Claim) -> String {
    let device = |device: &ClaimedDevice| {
        let cores = device.cores.map_or(0, Percent::get);
        format!("7_{}_{cores}_{}", device.uuid, device.memory.0)
    };
    let container = |(name, devices): (&ContainerName, &Vec<ClaimedDevice>)| {
        format!("{name}[{}]", devices.iter().map(device).collect::<Vec<_>>().join(","))
    };
    claim.containers().iter().map(container).collect::<Vec<_>>().join(";")
}

fn foreign(text: &str) -> Result<Claim, String> {
    Claim::from_pre_allocated(text, POD.parse().unwrap(), "n1".to_owned()).map_err(|error| error.to_string())
}

#[test]
fn the_form_is_what_the_documentation_says() {
    let text = with(&format!(
        r#"{{"main":[{{"uuid":"{GPU}","memoryMiB":8192,"cores":30}}],"side":[{{"uuid":"{OTHER}","memoryMiB":512}}]}}"#
    ));
    let claim = Claim::decode(&text).unwrap();
    assert_eq!((claim.pod().as_str(), claim.node()), (POD, "n1"));
    let main = claim.containers()[&"main".parse().unwrap()][0];
    assert_eq!(
        (main.uuid.to_string().as_str(), main.memory.bytes().0, main.cores),
        (GPU, 8 << 30, Percent::new(30))
    );
    assert_eq!(claim.containers()[&"side".parse().unwrap()][0].cores, None);
    assert_eq!(claim.encode(), text);
}

#[test]
fn what_is_wrong_is_named_with_place_and_value() {
    let device = |fields: &str| with(&format!(r#"{{"main":[{{"uuid":"{GPU}"{fields}}}]}}"#));
    let table = [
        ("8 GiB".to_owned(), "it is not JSON: something after its end at byte 2"),
        ("[]".to_owned(), "the claim is a list, not an object"),
        ("{}".to_owned(), "the claim has no version"),
        (r#"{"version":2}"#.to_owned(), "its version is 2, this program reads version 1"),
        (r#"{"version":1,"podUid":"../x"}"#.to_owned(), "the claim: podUid is ../x: ../x is no uid of a pod"),
        (with("{}"), "it names no container"),
        (with(r#"{"main":[]}"#), "container main has no device"),
        (with(r#"{"../x":[]}"#), "containers is ../x: ../x is no name of a container"),
        (device(""), "main[0] has no memoryMiB"),
        (device(r#","memoryMiB":0"#), "main[0]: memoryMiB is 0, not 1 to 4294967295 MiB"),
        (device(r#","memoryMiB":4294967296"#), "main[0]: memoryMiB is 4294967296, not 1 to 4294967295 MiB"),
        (device(r#","memoryMiB":-1"#), "main[0]: memoryMiB is -1, not a whole number"),
        (device(r#","memoryMiB":1.5"#), "main[0]: memoryMiB is 1.5, not a whole number"),
        (device(r#","memoryMiB":"8192""#), "main[0]: memoryMiB is a text, not a number"),
        (
            device(r#","memoryMiB":1,"cores":101"#),
            "main[0]: cores is 101, not 1 to 100 percent; without a limit, leave it out",
        ),
        (device(r#","memoryMiB":1,"memory":1"#), "main[0] has memory, which version 1 does not know"),
    ];
    for (text, message) in table {
        assert_eq!(refusal(&text), message, "{text}");
    }
    let twice =
        with(&format!(r#"{{"main":[{{"uuid":"{GPU}","memoryMiB":1}},{{"uuid":"{GPU}","memoryMiB":1}}]}}"#));
    assert_eq!(
        refusal(&twice),
        format!("container main has {GPU} twice; a container's devices are different GPUs")
    );
}

#[test]
fn vgpu_managers_form_is_read() {
    let text = format!("main[0_{GPU}_30_2000, 1_{OTHER}_0_1];side[0_{GPU}_100_512];");
    let claim = foreign(&text).unwrap();
    let shares: Vec<_> = claim.containers().values().flatten().map(|device| device.cores).collect();
    assert_eq!(shares, [Percent::new(30), None, Percent::new(100)]);
}

#[test]
fn what_is_wrong_in_vgpu_managers_form_is_named() {
    let table = [
        ("", "it names no container"),
        ("main", "main is not a container with devices, as in main[…]"),
        ("main[", "main[ is not a container with devices, as in main[…]"),
        ("main[]", "container main has no device"),
        ("../x[0_a_1_1]", "../x is no name of a container"),
        ("main[0_GPU-x_1_1]", "container main: 0_GPU-x_1_1: its UUID is not that of a GPU"),
        ("main[0_a_1]", "container main: 0_a_1: it is not index, UUID, percent and MiB with _ between them"),
    ];
    for (text, message) in table {
        assert_eq!(foreign(text).unwrap_err(), message, "{text}");
    }
    let refused = foreign(&format!("main[0_{GPU}_101_1]")).unwrap_err();
    assert!(refused.ends_with("its share is more than 100 percent"), "{refused}");
    let refused = foreign(&format!("main[0_{GPU}_1_0]")).unwrap_err();
    assert!(refused.ends_with("its memory is not 1 MiB or more"), "{refused}");
    let refused = foreign(&format!("main[0_{GPU}_1_1];main[0_{OTHER}_1_1]")).unwrap_err();
    assert_eq!(refused, "container main is named twice");
}

#[test]
fn a_claim_says_something() {
    let none = Claim::new(POD.parse().unwrap(), "n1".to_owned(), BTreeMap::new());
    assert_eq!(none.unwrap_err().to_string(), "it names no container");
    let nowhere =
        Claim::decode(&with(&format!(r#"{{"a":[{{"uuid":"{GPU}","memoryMiB":1}}]}}"#)).replace("n1", ""));
    assert_eq!(nowhere.unwrap_err().to_string(), "it names no node");
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(claim in any_claim()) {
        prop_assert_eq!(Claim::decode(&claim.encode()), Ok(claim));
    }

    #[test]
    fn both_forms_say_the_same(claim in any_claim()) {
        let read = Claim::from_pre_allocated(&pre_allocated(&claim), claim.pod().clone(), claim.node().to_owned());
        prop_assert_eq!(read, Ok(claim));
    }

    #[test]
    fn a_text_cut_short_is_refused(claim in any_claim(), part in 0.0..1.0_f64) {
        let text = claim.encode();
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]
        let cut = (text.len() as f64 * part) as usize;
        prop_assume!(text.is_char_boundary(cut));
        prop_assert!(Claim::decode(&text[..cut]).is_err());
    }

    #[test]
    fn any_text_is_read_or_refused_in_one_line(text: String) {
        for refused in [Claim::decode(&text).err().map(|e| e.to_string()), foreign(&text).err()].into_iter().flatten() {
            prop_assert!(refused.lines().count() == 1 && refused.len() < 1000, "{}", refused);
        }
    }
}
