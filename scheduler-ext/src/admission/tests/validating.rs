use super::*;
use crate::admission::templates::warn;
use crate::admission::validate::{self, Verdict};
use crate::ledger::SharedLedger;
use crate::ledger::tests::scene::World;

fn verdict(pod: &Value) -> Verdict {
    validate::pod(&rules(), &pod.to_string()).unwrap()
}

fn refusal(pod: &Value) -> String {
    verdict(pod).refusal.expect("it is admitted").to_string()
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let containers = json!([
        container("one", &json!({"number": "65"})),
        container("two", &json!({"number": "1", "cores": "101", "memory": "8Gi"})),
    ]);
    let mut faulty = pod(&json!({"containers": containers}));
    faulty["metadata"]["annotations"] = json!({"nvidia.com/node-scheduler-policy": "binpak"});
    assert_eq!(
        refusal(&faulty),
        "container one: nvidia.com/vgpu-number is 65, which is more than 64; \
         container two: nvidia.com/vgpu-cores is 101, which is more than 100; \
         container two: nvidia.com/vgpu-memory is 8Gi, and it counts MiB (or memoryFactor times MiB): write 8192, or so much less where memoryFactor is not 1; \
         annotation nvidia.com/node-scheduler-policy is binpak; known: binpack, spread, none"
    );
}

#[test]
fn a_pod_that_the_mutation_missed_is_refused_with_what_to_add() {
    let missed = pod(&json!({"containers": [container("main", &json!({"memory": "8"}))]}));
    let told = refusal(&missed);
    assert!(told.ends_with("so kubelet would give no GPU; write nvidia.com/vgpu-number: 1"), "{told}");
    assert_eq!(verdict(&mutated(&rules(), &missed).1), Verdict::default());
}

#[test]
fn a_pod_of_others_and_one_that_is_right_are_admitted_without_a_word() {
    let others = json!({"containers": [{"name": "main", "securityContext": {"privileged": true}}]});
    for admitted in [pod(&others), pod(&json!({"schedulerName": "vgpu-scheduler"}))] {
        assert_eq!(verdict(&admitted), Verdict::default());
    }
}

#[test]
fn what_is_admitted_and_does_not_do_what_one_thinks_is_told() {
    let mut containers = [container("main", &json!({"number": "1"})), json!({"name": "other"})];
    for container in &mut containers {
        container["securityContext"] = json!({"privileged": true});
    }
    let mut told = verdict(&pod(&json!({"schedulerName": "volcano", "containers": containers})));
    assert_eq!(told.refusal, None);
    let privileged =
        "container main is privileged: it can leave its slice and reach every GPU of the node".to_owned();
    let scheduler = "schedulerName is volcano: only vgpu-scheduler gives out slices, leave it out".to_owned();
    assert_eq!(std::mem::take(&mut told.warnings), [scheduler, privileged]);
    let mut mirror = pod(&json!({"nodeName": "n1"}));
    mirror["metadata"]["annotations"] = json!({"kubernetes.io/config.mirror": "hash"});
    assert_eq!(verdict(&mirror).warnings, ["a static pod gets no slice: no scheduler can give it one"]);
}

#[test]
fn names_that_are_almost_ours_and_amounts_of_nothing_are_told_of_pods_and_templates_and_not_refused() {
    let doubtful = |limits: &Value| pod(&json!({"containers": [container("main", limits)]}));
    for (limits, begins) in [
        (json!({"mem": "8192"}), "container main: nvidia.com/vgpu-mem is no resource of slices"),
        (
            json!({"number": "1", "core": "30"}),
            "container main: nvidia.com/vgpu-core is no resource of slices",
        ),
        (
            json!({"memory": "0"}),
            "container main: nvidia.com/vgpu-memory is 0 and nvidia.com/vgpu-number is not given",
        ),
    ] {
        let verdict = verdict(&doubtful(&limits));
        assert_eq!((verdict.refusal, verdict.warnings.len()), (None, 1));
        assert!(verdict.warnings[0].starts_with(begins), "{}", verdict.warnings[0]);
        let template = json!({"spec": {"template": doubtful(&limits)}});
        assert_eq!(warn(&rules(), &template.to_string()).unwrap(), verdict.warnings);
    }
    let faulty = doubtful(&json!({"mem": "1", "number": "65"}));
    let told = verdict(&faulty);
    assert!(told.refusal.is_some() && told.warnings.len() == 1, "{told:?}");
    let mut mirror = doubtful(&json!({"memory": "0"}));
    mirror["metadata"]["annotations"] = json!({"kubernetes.io/config.mirror": "hash"});
    assert_eq!(verdict(&mirror), Verdict::default());
}

#[test]
fn a_claim_is_written_by_the_scheduler_and_by_nobody_else() {
    let with = |claim: &str| json!({"metadata": {"annotations": {"nvidia.com/vgpu-claim": claim}}});
    let without = json!({"metadata": {"annotations": null}});
    let refused = |user: &str, before: &Value, after: &Value| {
        let before = (!before.is_null()).then(|| before.to_string());
        let refusal = validate::claim(&rules(), user, before.as_deref(), &after.to_string());
        refusal.unwrap().map(|refusal| refusal.to_string())
    };
    for (before, after) in [
        (&Value::Null, &with("{}")), // made with one, or bound with one
        (&without, &with("{}")),
        (&with("{}"), &with("{} ")),
        (&with("{}"), &without),
    ] {
        let said = refused("system:admin", before, after).expect("it is admitted");
        let owner = format!("only {OURS} may write it; leave it out");
        assert!(said.starts_with("annotation nvidia.com/vgpu-claim is the claim") && said.ends_with(&owner));
        assert_eq!(refused(OURS, before, after), None);
    }
    for (before, after) in [(&Value::Null, &without), (&with("{}"), &with("{}")), (&Value::Null, &with(""))] {
        assert_eq!(refused("system:admin", before, after), None);
    }
    let elsewhere = Rules { claim_writers: Vec::new(), ..rules() };
    assert_eq!(validate::claim(&elsewhere, "system:admin", None, &with("{}").to_string()).unwrap(), None);
}

#[test]
fn templates_are_warned_of_in_every_kind_of_workload() {
    let pod = json!({"metadata": {"annotations": {"nvidia.com/vgpu-claim": "{}"}},
        "spec": {"containers": [container("main", &json!({"number": "1", "cores": "101"}))]}});
    let deployment = json!({"spec": {"template": pod}});
    let cron = json!({"spec": {"jobTemplate": {"spec": {"template": pod}}}});
    for workload in [deployment, cron] {
        let told = warn(&rules(), &workload.to_string()).unwrap();
        assert_eq!(
            told,
            [
                "its pods will be refused: container main: nvidia.com/vgpu-cores is 101, which is more than 100",
                "its pods will be refused: annotation nvidia.com/vgpu-claim is the scheduler's; leave it out",
            ]
        );
    }
}

#[test]
fn templates_are_not_warned_of_for_what_is_filled_in_of_their_pods() {
    let pod = json!({"spec": {"containers": [container("main", &json!({"memory": "8"}))]}});
    assert_eq!(
        warn(&rules(), &json!({"spec": {"template": pod}}).to_string()).unwrap(),
        Vec::<String>::new()
    );
    assert_eq!(warn(&rules(), r#"{"spec": {}}"#).unwrap(), Vec::<String>::new());
}

#[test]
fn templates_that_a_controller_has_copied_are_not_warned_of_again() {
    let pod = json!({"spec": {"containers": [container("main", &json!({"number": "65"}))]}});
    let mut set = json!({"metadata": {"ownerReferences": [{"kind": "Deployment", "controller": true}]},
        "spec": {"template": pod}});
    assert_eq!(warn(&rules(), &set.to_string()).unwrap(), Vec::<String>::new());
    set["metadata"]["ownerReferences"][0]["controller"] = Value::Null;
    assert_eq!(warn(&rules(), &set.to_string()).unwrap().len(), 1);
}

#[test]
fn what_no_node_has_is_told_of_pods_and_templates_and_not_refused() {
    let nodes = World::filled(&["n1"], &[1000, 2000], &[]);
    let rules = Rules { ledger: Some(SharedLedger::new(nodes.ledger)), ..rules() };
    let three = pod(&json!({"containers": [container("main", &json!({"number": "3"}))]}));
    let told = "container main: no node has 3 GPUs now, the most is 2; the pod waits until there is one";
    let verdict = validate::pod(&rules, &three.to_string()).unwrap();
    assert_eq!((verdict.refusal, verdict.warnings), (None, vec![told.to_owned()]));
    assert_eq!(warn(&rules, &json!({"spec": {"template": three}}).to_string()).unwrap(), [told]);
    let fits = json!({"containers": [container("main", &json!({"number": "2", "memory": "2000"}))]});
    assert_eq!(validate::pod(&rules, &pod(&fits).to_string()).unwrap(), Verdict::default());
}
