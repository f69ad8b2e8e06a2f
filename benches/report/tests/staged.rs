//! The report on staged files, beside interposers that behave and some that do not.
//!
//! The stage is found in `$VGPU_STAGE`, or in `stage/` of cargo's target directory; `cargo xtask stage` builds it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interposer.c");
const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.json");

fn report(arguments: &[&str]) -> Output {
    let stage = std::env::var_os("VGPU_STAGE")
        .map_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("stage"), PathBuf::from);
    let mut command = Command::new(env!("CARGO_BIN_EXE_report"));
    command.args(arguments).env("VGPU_STAGE", stage).output().unwrap()
}

/// Compiles an interposer; `None`, said once, where there is no C compiler.
fn interposer(directory: &Path, kind: &str) -> Option<String> {
    let file = directory.join(format!("{}.so", kind.to_lowercase()));
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", SOURCE, &format!("-D{kind}"), "-ldl", "-o"]).arg(&file);
    match compiler.status() {
        Err(error) => {
            eprintln!("skipped: no C compiler: {error}");
            None
        }
        Ok(status) => {
            assert!(status.success(), "cc: {status}");
            Some(format!("{}={}", kind.to_lowercase(), file.display()))
        }
    }
}

/// The results of a run, which have to be as the schema says.
fn results(directory: &Path, arguments: &[&str]) -> Value {
    let out = directory.join("out");
    let out_argument = out.to_str().unwrap();
    let output = report(&[&["--quick", "--out", out_argument], arguments].concat());
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{errors}");
    let text = std::fs::read_to_string(out.join("report.json")).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    let schema = compiler.compile(SCHEMA, &mut schemas).unwrap();
    if let Err(error) = schemas.validate(&value, schema) {
        panic!("{error:#}");
    }
    value
}

/// The figure of an interposer in the first line of a metric.
fn figure<'a>(results: &'a Value, id: &str, interposer: &str) -> &'a Value {
    let metrics = results["metrics"].as_array().unwrap();
    let metric = metrics.iter().find(|metric| metric["id"] == id).unwrap();
    let figures = metric["lines"][0]["figures"].as_array().unwrap();
    figures.iter().find(|figure| figure["interposer"] == interposer).unwrap()
}

#[test]
fn one_that_passes_everything_on_is_measured_beside_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let Some(passes) = interposer(directory.path(), "PASSES") else { return };
    let results = results(directory.path(), &["--interposer", &passes, "OH-00"]);
    assert!(figure(&results, "OH-005", "passes")["ratio"].as_f64().unwrap() > 0.0);
    assert_eq!(figure(&results, "OH-005", "none")["ratio"], 1.0);
    let page = std::fs::read_to_string(directory.path().join("out/report.md")).unwrap();
    assert!(page.contains("## OH-005") && page.contains("![ratios.svg](ratios.svg)"), "{page}");
    let plot = std::fs::read_to_string(directory.path().join("out/ratios.svg")).unwrap();
    assert!(plot.contains("<svg") && plot.contains("OH-005 cuDeviceTotalMem"));
}

#[test]
fn ones_that_refuse_crash_or_hang_are_told_and_stop_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let kinds = ["REFUSES", "CRASHES", "HANGS"].map(|kind| interposer(directory.path(), kind));
    let [Some(refuses), Some(crashes), Some(hangs)] = kinds else { return };
    let arguments = ["--interposer", &refuses, "--interposer", &crashes, "--interposer", &hangs];
    let results = results(directory.path(), &[&arguments[..], &["--patience", "20", "OH-00"]].concat());
    let reason = |id: &str, interposer: &str| {
        figure(&results, id, interposer)["reason"].as_str().unwrap_or_default().to_owned()
    };
    assert!(reason("OH-005", "refuses").contains("cuInit returned 802"), "{}", reason("OH-005", "refuses"));
    assert!(reason("OH-005", "hangs").contains("no answer within 20 s"), "{}", reason("OH-005", "hangs"));
    // Frees are no part of every metric.
    assert!(reason("OH-007", "crashes").contains("killed by signal 6"), "{}", reason("OH-007", "crashes"));
    assert!(figure(&results, "OH-005", "crashes")["median"].as_f64().unwrap() > 0.0);
}

#[test]
fn ours_keeps_its_limit_to_the_byte() {
    let directory = tempfile::tempdir().unwrap();
    let results = results(directory.path(), &["IS-001"]);
    let ours = figure(&results, "IS-001", "vgpu");
    assert_eq!((&ours["median"], &ours["verdict"]), (&Value::from(100.0), &Value::from("reached")));
    assert_eq!(figure(&results, "IS-001", "none")["reason"], "there is no limit");
}

#[test]
fn an_argument_that_is_wrong_is_named_beside_the_way_out() {
    let problem = |arguments: &[&str]| {
        let output = report(arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let there_is_none = problem(&["--interposer", "other=/nowhere/lib.so"]);
    assert!(there_is_none.contains("there is no file /nowhere/lib.so"), "{there_is_none}");
    let no_metric = problem(&["OH-999"]);
    assert!(no_metric.contains("no metric is called \"OH-999\"; `report --list` names them"), "{no_metric}");
    let second = problem(&["IS-001", "OH-999"]);
    assert!(second.contains("no metric is called \"OH-999\""), "{second}");
    let nowhere = problem(&["--out", "/proc/nowhere"]);
    assert!(nowhere.contains("--out: cannot make /proc/nowhere"), "{nowhere}");
    let twice = problem(&["--interposer", "vgpu", "--interposer", "vgpu"]);
    assert!(twice.contains("two are called \"vgpu\""), "{twice}");
    assert!(problem(&["--on", "moon"]).contains("[possible values: sim, card]"));
}
