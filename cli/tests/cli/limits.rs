//! `vgpu limits` from outside.

use std::process::Stdio;

use contract::env::Priority;
use contract::limits_page::{Entry, SharePolicy};
use contract::{Bytes, Percent};

use crate::machine::{FIRST, Machine, Running, SECOND, page, stderr, stdout};

const GIB: u64 = 1 << 30;

/// A slice with the options `options` in which nothing uses a GPU, and its short name.
fn slice(machine: &Machine, options: &[&str]) -> (Running, String) {
    let running = Running::start(machine.run(options, "echo ready; exec sleep 1000"));
    let name = format!("run-{}", running.child.id());
    (running, name)
}

/// What `vgpu` with these arguments ends with, and says on standard output and standard error.
fn vgpu(machine: &Machine, args: &[&str]) -> (Option<i32>, String, String) {
    let output = machine.vgpu(args).output().expect("it runs");
    (output.status.code(), stdout(&output), stderr(&output))
}

/// The limits page of the only slice.
fn entries(machine: &Machine) -> Vec<Entry> {
    let [slice] = &machine.slices()[..] else { panic!("one slice") };
    page(slice).entries().to_vec()
}

#[test]
fn a_change_is_shown_and_in_the_page() {
    let machine = Machine::new();
    let (_running, name) = slice(&machine, &["--memory", "1Gi"]);
    let (status, text, errors) = vgpu(&machine, &["limits", &name, "--memory", "2Gi", "--gpu", "0"]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(text.contains("2048 MiB") && !text.contains("1024 MiB"), "{text}");
    let memory = |machine| entries(machine).iter().map(|entry| entry.memory).collect::<Vec<_>>();
    assert_eq!(memory(&machine), [Some(Bytes(2 * GIB)), Some(Bytes(GIB))]);
    let (_, text, _) = vgpu(&machine, &["limits", &name]);
    assert!(text.contains("2048 MiB") && text.contains("1024 MiB"), "{text}");
    assert_eq!(vgpu(&machine, &["limits", &name, "--memory", "0"]).0, Some(0));
    assert_eq!(memory(&machine), [None, None]);
    let (status, text, errors) =
        vgpu(&machine, &["limits", &name, "--cores", "40", "--gpu", SECOND, "--json"]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert_eq!(entries(&machine)[1].cores, Percent::new(40));
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let gpus = json["slices"][0]["gpus"].as_array().expect("a list");
    assert_eq!((gpus.len(), &gpus[0]["uuid"]), (1, &SECOND.into()));
    assert_eq!((&gpus[0]["cores_percent"], &gpus[0]["limit"]), (&40.into(), &"none".into()));
}

#[test]
fn what_a_share_means_and_the_priority_are_changed_alone_or_with_it() {
    let machine = Machine::new();
    let (_running, name) = slice(&machine, &["--cores", "30", "--gpus", "0"]);
    let entry = |machine: &Machine| {
        let entry = entries(machine)[0];
        (entry.cores, entry.policy, entry.priority)
    };
    let (status, text, errors) = vgpu(&machine, &["limits", &name, "--policy", "balance"]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(text.contains("30 % balance"), "{text}");
    assert_eq!(entry(&machine), (Percent::new(30), SharePolicy::Balance, Priority(1)));
    let (status, text, errors) = vgpu(&machine, &["limits", &name, "--priority", "high"]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(text.contains("30 % balance high"), "{text}");
    let back = ["limits", &name, "--policy=none", "--priority=low", "--cores=40"];
    assert_eq!(vgpu(&machine, &back).0, Some(0));
    assert_eq!(entry(&machine), (Percent::new(40), SharePolicy::Unlimited, Priority(1)));
}

#[test]
fn a_limit_beyond_the_card_is_said() {
    let machine = Machine::new();
    let (_running, name) = slice(&machine, &["--memory", "1Gi"]);
    let (status, _, errors) = vgpu(&machine, &["limits", &name, "--memory", "100Gi"]);
    assert_eq!(status, Some(0));
    assert!(
        errors.contains(
            "warning: this slice of GPU 0 (NVIDIA H100 80GB HBM3) is 102400 MiB, the GPU has 81559 MiB; "
        ),
        "{errors}"
    );
}

#[test]
fn what_cannot_be_changed_is_named_with_the_way_out() {
    let machine = Machine::new();
    let (status, _, errors) = vgpu(&machine, &["limits", "run-1", "--memory", "2Gi"]);
    assert_eq!(status, Some(2));
    assert!(errors.contains("there is no slice run-1"), "{errors}");
    let (running, name) = slice(&machine, &["--memory", "1Gi", "--gpus", "0"]);
    let before = entries(&machine);
    for (args, code, reason) in [
        (vec!["run-1", "--memory", "2Gi"], 2, format!("running: {name}")),
        (vec![&name, "--memory", "1.5g"], 2, "1.5g is not a size; write whole bytes".to_owned()),
        (
            vec![&name, "--memory", "2Gi", "--gpu", "7"],
            2,
            format!("slice {name} has no such GPU; it has 0 {}", &FIRST[..12]),
        ),
        (vec![&name, "--memory", "2Gi", "--gpu", SECOND], 2, format!("slice {name} has no such GPU")),
        (vec![&name, "--cores", "101"], 2, "a whole number from 1 to 100".to_owned()),
        (vec![&name, "--policy", "balance"], 2, format!("slice {name} has no share of GPU 0")),
    ] {
        let (status, text, errors) = vgpu(&machine, &[&["limits"], &args[..]].concat());
        assert_eq!((status, text.as_str()), (Some(code), ""), "{args:?}");
        assert!(errors.starts_with("vgpu: ") && errors.contains(&reason), "{args:?}: {errors}");
    }
    assert_eq!(entries(&machine), before);
    drop(running);
    let (status, _, errors) = vgpu(&machine, &["limits", &name, "--memory", "2Gi"]);
    assert_eq!(status, Some(2));
    assert!(errors.contains(&format!("there is no slice {name}, ")), "{errors}");
}

#[test]
fn a_page_that_is_none_is_an_error_and_left_alone() {
    let machine = Machine::new();
    let (_running, name) = slice(&machine, &["--memory", "1Gi"]);
    let file = machine.slices()[0].join("limits/limits");
    std::fs::write(&file, [7; 4160]).expect("a file");
    let (status, _, errors) = vgpu(&machine, &["limits", &name, "--memory", "2Gi"]);
    assert_eq!(status, Some(125));
    assert!(errors.contains("it does not start like a limits page"), "{errors}");
    assert_eq!(std::fs::read(&file).expect("a file"), [7; 4160]);
}

#[test]
fn of_two_changes_at_once_one_is_the_last_and_whole() {
    let machine = Machine::new();
    let (_running, name) = slice(&machine, &["--memory", "1Gi", "--cores", "1"]);
    let change = |number: u8| {
        let (memory, cores) = (format!("{number}g"), number.to_string());
        machine
            .vgpu(&["limits", &name, "--memory", &memory, "--cores", &cores])
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts")
    };
    for round in [2, 4, 6] {
        for mut change in [change(round), change(round + 1)] {
            assert!(change.wait().expect("it ends").success());
        }
        let after = entries(&machine);
        let last = after[0].cores.expect("a share").get();
        assert!(last == round || last == round + 1, "{after:?}");
        for entry in after {
            assert_eq!((entry.memory, entry.cores), (Some(Bytes(u64::from(last) * GIB)), Percent::new(last)));
        }
    }
}

#[test]
fn a_slice_without_a_memory_limit_is_asked_for_by_zero() {
    let machine = Machine::new();
    let (_running, name) = slice(&machine, &["--memory", "0"]);
    assert!(entries(&machine).iter().all(|entry| entry.memory.is_none()));
    let (status, text, errors) = vgpu(&machine, &["limits", &name]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(text.lines().skip(1).all(|line| line.contains(" none ")), "{text}");
}

#[test]
fn limits_of_a_slice_that_is_not_there_are_an_error_when_only_looked_at() {
    let machine = Machine::new();
    let (status, text, errors) = vgpu(&machine, &["limits", "run-1"]);
    assert_eq!((status, text.as_str()), (Some(2), ""));
    let (_, why) = errors.split_once("there is no slice run-1, ").unwrap_or_else(|| panic!("{errors}"));
    // This user may have others, where no runtime directory is given.
    let whys = ["as none of this user is running; start one", "or it has ended; running: run-"];
    assert!(whys.iter().any(|known| why.starts_with(known)), "{errors}");
}
