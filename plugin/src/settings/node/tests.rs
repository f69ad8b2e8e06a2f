//! Reading configurations.

use super::*;
use contract::Uuid;

fn error(text: &str) -> String {
    Configuration::parse(text).unwrap_err().to_string()
}

#[test]
fn a_section_is_over_the_default_and_that_over_what_is_built_in() {
    let text = "
version: 1
default:
  splitCount: 4
  memoryScaling: 0.9
  health:
    ignoredXids: [13, 109]
nodes:
  big:
    splitCount: 20
    coresScaling: 2
    excludeDevices: [3, '0..1', GPU-01010101-0101-0101-0101-010101010101]
    computePolicy: balance
    numaHints: true
    health:
      recoverAfterSeconds: 60
";
    let configuration = Configuration::parse(text).unwrap();
    let default = configuration.of(None).unwrap();
    assert_eq!((default.split_count, default.memory_factor), (4, 1));
    assert_eq!(default.memory_scaling, Scaling::new(0.9).unwrap());
    assert_eq!(default.health.ignored_xids, [13, 109].into());
    let big = configuration.of(Some("big")).unwrap();
    let excluded = vec![Excluded::Indices(3..=3), Excluded::Indices(0..=1), Excluded::Uuid(Uuid([1; 16]))];
    let expected = NodeSettings {
        split_count: 20,
        cores_scaling: Scaling::new(2.0).unwrap(),
        exclude: excluded,
        compute_policy: SharePolicy::Balance,
        numa_hints: true,
        health: Policy { recover_after: Duration::from_secs(60), ..default.health.clone() },
        ..default.clone()
    };
    assert_eq!(*big, expected);
}

#[test]
fn a_file_that_says_nothing_changes_nothing() {
    assert_eq!(Configuration::parse("version: 1"), Ok(Configuration::default()));
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_what_to_write() {
    for (text, said) in [
        ("version: 2", "version is 2, this program reads version 1"),
        ("version: 1\ndefault: {splitCount: 0}", "default: splitCount is 0, not 1 to 1000"),
        ("version: 1\nnodes: {a: {memoryFactor: 100000}}", "nodes.a: memoryFactor is 100000, not 1 to 65536"),
        ("version: 1\ndefault: {memoryScaling: 11}", "default: memoryScaling is 11, not 0.001 to 10"),
        (
            "version: 1\nnodes: {a: {computePolicy: soft}}",
            "nodes.a: computePolicy is \"soft\": write fixed, balance or none",
        ),
        (
            "version: 1\ndefault: {excludeDevices: ['2..1']}",
            "default: excludeDevices: \"2..1\" names no devices; write an index (3), a range of them (0..2), or a \
             UUID (GPU-...)",
        ),
    ] {
        assert_eq!(error(text), said);
    }
    assert!(error("version: 1\ndefault: {splitcount: 3}").contains("splitcount"));
    assert!(error("default: {}").contains("version"));
    assert!(error("version: [").contains("line"), "{}", error("version: ["));
}

#[test]
fn a_label_that_names_no_section_is_an_error_that_names_those_there_are() {
    let configuration = Configuration::parse("version: 1\nnodes: {a: {}, b: {}}").unwrap();
    let error = configuration.of(Some("c")).unwrap_err().to_string();
    assert_eq!(error, "there is no section \"c\" under nodes; there are: a, b");
}
