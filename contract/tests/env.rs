//! What the environment variables mean.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use contract::Bytes;
use contract::env::{CorePolicy, EnvError, EnvLimits, LogLevel, NAMES, Priority};

fn read(variables: &[(&str, &str)]) -> Result<EnvLimits, EnvError> {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    EnvLimits::read(|name| variables.get(name).map(OsString::from))
}

fn limits(variables: &[(&str, &str)]) -> EnvLimits {
    read(variables).expect("these variables are right")
}

fn error(name: &str, value: &str) -> String {
    read(&[(name, value)]).expect_err(value).to_string()
}

const GIB: Bytes = Bytes(1 << 30);

#[test]
fn nothing_set_is_empty() {
    let limits = limits(&[]);
    assert!(limits.is_empty());
    assert!(!limits.needs_order());
    assert_eq!(limits.memory(0), None);
    assert_eq!(limits.cores(0), None);
    assert_eq!(limits.region(), None);
    assert_eq!(limits.log_level(), LogLevel::Warn);
    assert_eq!(limits.policy(), CorePolicy::Default);
    assert_eq!(limits.priority(), Priority(1));
}

#[test]
fn the_default_is_for_every_gpu() {
    let limits = limits(&[("CUDA_DEVICE_MEMORY_LIMIT", "1024m")]);
    assert!(!limits.is_empty());
    assert!(!limits.needs_order());
    for index in [0, 1, 63, 64, 1000] {
        assert_eq!(limits.memory(index), Some(GIB));
    }
}

#[test]
fn a_gpu_of_its_own_overrides_the_default() {
    let limits = limits(&[
        ("CUDA_DEVICE_MEMORY_LIMIT", "1g"),
        ("CUDA_DEVICE_MEMORY_LIMIT_0", "2g"),
        ("CUDA_DEVICE_MEMORY_LIMIT_63", "5"),
        ("CUDA_DEVICE_MEMORY_LIMIT_64", "is read by nobody"),
    ]);
    assert!(limits.needs_order());
    assert_eq!(limits.memory(0), Some(Bytes(2 << 30)));
    assert_eq!(limits.memory(1), Some(GIB));
    assert_eq!(limits.memory(63), Some(Bytes(5)));
    assert_eq!(limits.memory(64), Some(GIB));
}

#[test]
fn zero_is_no_limit_for_the_gpu_it_names() {
    for zero in ["0", "0m", "0Gi"] {
        let limits = limits(&[("CUDA_DEVICE_MEMORY_LIMIT", "1g"), ("CUDA_DEVICE_MEMORY_LIMIT_3", zero)]);
        assert_eq!(limits.memory(2), Some(GIB));
        assert_eq!(limits.memory(3), None, "{zero}");
    }
}

#[test]
fn zeros_alone_are_empty() {
    let limits = limits(&[
        ("CUDA_DEVICE_MEMORY_LIMIT", "0"),
        ("CUDA_DEVICE_MEMORY_LIMIT_1", "0m"),
        ("CUDA_DEVICE_SM_LIMIT", "100"),
    ]);
    assert!(limits.is_empty());
    assert!(limits.needs_order());
}

#[test]
fn one_gpu_limited_is_not_empty() {
    assert!(!limits(&[("CUDA_DEVICE_MEMORY_LIMIT_7", "1g")]).is_empty());
    assert!(!limits(&[("CUDA_DEVICE_SM_LIMIT_7", "1")]).is_empty());
}

#[test]
fn compute_limits_are_percentages() {
    let table =
        [("0", None), ("1", Some(1)), ("50", Some(50)), ("99", Some(99)), ("100", None), ("101", None)];
    for (value, percent) in table {
        let limits = limits(&[("CUDA_DEVICE_SM_LIMIT", value)]);
        assert_eq!(limits.cores(0).map(contract::Percent::get), percent, "{value}");
    }
    assert_eq!(limits(&[("CUDA_DEVICE_SM_LIMIT", "99999999999999999999999")]).cores(0), None);
    let one = limits(&[("CUDA_DEVICE_SM_LIMIT", "30"), ("CUDA_DEVICE_SM_LIMIT_1", "0")]);
    assert!(one.needs_order());
    assert_eq!(one.cores(0).map(contract::Percent::get), Some(30));
    assert_eq!(one.cores(1), None);
}

#[test]
fn a_malformed_memory_limit_is_an_error_of_one_line() {
    assert_eq!(
        error("CUDA_DEVICE_MEMORY_LIMIT", "1.5g"),
        "vgpu: CUDA_DEVICE_MEMORY_LIMIT=1.5g is not a size; write whole bytes or a whole number with k, m, g, t, Ki, \
         Mi, Gi or Ti, for example 1536m"
    );
    for value in ["1024MB", "08g", "-1", "abc", "", " ", "1g\n", "18446744073709551616"] {
        for name in ["CUDA_DEVICE_MEMORY_LIMIT", "CUDA_DEVICE_MEMORY_LIMIT_0", "CUDA_DEVICE_MEMORY_LIMIT_63"]
        {
            let line = error(name, value);
            assert!(line.starts_with(&format!("vgpu: {name}=")), "{line}");
            assert!(line.contains(value.trim()) && !line.contains('\n'), "{line}");
        }
    }
}

#[test]
fn a_wrong_default_is_an_error_though_every_gpu_has_its_own() {
    assert!(read(&[("CUDA_DEVICE_MEMORY_LIMIT", "abc"), ("CUDA_DEVICE_MEMORY_LIMIT_0", "1g")]).is_err());
}

#[test]
fn a_malformed_compute_limit_is_an_error() {
    assert_eq!(
        error("CUDA_DEVICE_SM_LIMIT_2", "50g"),
        "vgpu: CUDA_DEVICE_SM_LIMIT_2=50g is not a percentage; write a whole number from 1 to 99, or 0 for no limit"
    );
    for value in ["", "50%", "-1", "+5", "0x10", "abc", "5.5"] {
        assert!(read(&[("CUDA_DEVICE_SM_LIMIT", value)]).is_err(), "{value}");
    }
}

#[test]
fn bytes_that_are_no_text_are_an_error_and_not_no_limit() {
    let read = EnvLimits::read(|name| {
        (name == "CUDA_DEVICE_MEMORY_LIMIT").then(|| OsString::from_vec(vec![b'1', 0xff, b'g']))
    });
    assert_eq!(read.expect_err("not UTF-8").name(), "CUDA_DEVICE_MEMORY_LIMIT");
}

#[test]
fn policies() {
    let table = [
        ("", CorePolicy::Default),
        ("default", CorePolicy::Default),
        ("force", CorePolicy::Force),
        ("FORCE", CorePolicy::Force),
        ("Disable", CorePolicy::Disable),
    ];
    for (value, policy) in table {
        assert_eq!(limits(&[("GPU_CORE_UTILIZATION_POLICY", value)]).policy(), policy, "{value}");
    }
    assert_eq!(
        error("GPU_CORE_UTILIZATION_POLICY", "forced"),
        "vgpu: GPU_CORE_UTILIZATION_POLICY=forced is not a policy; write default, force or disable"
    );
}

#[test]
fn priorities() {
    for (value, priority) in [("", 1), ("0", 0), ("1", 1), ("7", 7)] {
        assert_eq!(limits(&[("CUDA_TASK_PRIORITY", value)]).priority(), Priority(priority), "{value}");
    }
    assert!(
        error("CUDA_TASK_PRIORITY", "high").starts_with("vgpu: CUDA_TASK_PRIORITY=high is not a priority; ")
    );
    assert!(read(&[("CUDA_TASK_PRIORITY", "4294967296")]).is_err());
}

#[test]
fn a_wrong_log_level_refuses_nobody() {
    let table = [
        ("0", LogLevel::Error),
        ("1", LogLevel::Error),
        ("2", LogLevel::Warn),
        ("3", LogLevel::Info),
        ("4", LogLevel::Debug),
        ("9", LogLevel::Debug),
        ("", LogLevel::Warn),
        ("debug", LogLevel::Warn),
    ];
    for (value, level) in table {
        assert_eq!(limits(&[("LIBCUDA_LOG_LEVEL", value)]).log_level(), level, "{value}");
    }
}

#[test]
fn the_region_path_is_taken_as_it_is() {
    assert_eq!(
        limits(&[("CUDA_DEVICE_MEMORY_SHARED_CACHE", "/tmp/a b.cache")]).region(),
        Some(Path::new("/tmp/a b.cache"))
    );
    assert_eq!(limits(&[("CUDA_DEVICE_MEMORY_SHARED_CACHE", "")]).region(), None);
}

#[test]
fn every_variable_that_is_read_is_among_the_names() {
    let asked = RefCell::new(Vec::new());
    EnvLimits::read(|name| {
        asked.borrow_mut().push(name.to_owned());
        None
    })
    .expect("nothing is set");
    for name in asked.into_inner() {
        assert!(NAMES.iter().any(|ours| name.starts_with(ours)), "{name}");
    }
}
