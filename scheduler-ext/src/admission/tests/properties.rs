use proptest::prelude::*;

use super::*;
use crate::admission::review::{Question, answer};
use crate::admission::validate;

/// Any JSON, with the names in it that admission looks for.
fn anything() -> impl Strategy<Value = Value> {
    let key = prop::sample::select(vec![
        "metadata",
        "annotations",
        "spec",
        "containers",
        "initContainers",
        "resources",
        "limits",
        "requests",
        "nvidia.com/vgpu-number",
        "nvidia.com/vgpu-memory",
        "nvidia.com/vgpu-mem",
        "nodeName",
        "schedulerName",
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
        "matchFields",
        "template",
        "jobTemplate",
        "securityContext",
        "privileged",
        "name",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "(1|0|8Gi|n1|.{0,3})".prop_map(Value::from),
    ];
    leaf.prop_recursive(7, 64, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(key.clone(), inner, 0..5)
                .prop_map(|map| map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

/// Containers that ask for this and that.
fn containers() -> impl Strategy<Value = Value> {
    let amount = || prop::option::of(prop::sample::select(vec!["0", "1", "2", "50", "8Ki"]));
    let one = (amount(), amount(), amount(), amount()).prop_map(|(number, memory, percent, cores)| {
        let all = [("number", number), ("memory", memory), ("memory-percentage", percent), ("cores", cores)];
        let limits = all.into_iter().filter_map(|(name, amount)| Some((name, amount?)));
        container("c", &limits.map(|(name, amount)| (name.to_owned(), json!(amount))).collect())
    });
    prop::collection::vec(one, 0..3).prop_map(Value::from)
}

proptest! {
    #[test]
    fn whatever_is_sent_is_answered_or_told_what_is_wrong(object in anything(), old in anything()) {
        let request = json!({"uid": "u", "operation": "CREATE", "object": object, "oldObject": old, "userInfo": {},
            "kind": {"group": "", "version": "v1", "kind": "Pod"},
            "resource": {"group": "", "version": "v1", "resource": "pods"}});
        let review = json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request});
        for question in [Question::Mutate, Question::Validate, Question::Warn] {
            let _ = answer(&rules(), question, review.to_string().as_bytes());
            let _ = answer(&rules(), question, object.to_string().as_bytes());
        }
    }

    #[test]
    fn what_is_filled_in_is_done_once_and_leaves_all_else(init in containers(), apps in containers(), node in "|n1") {
        let pod = pod(&json!({"initContainers": init, "containers": apps, "nodeName": node, "hostname": "h"}));
        let (patch, after) = mutated(&rules(), &pod);
        let is_ours = rules().reader.concerns(&serde_json::from_value(pod.clone()).unwrap());
        prop_assert_eq!(patch.is_empty(), !is_ours);
        prop_assert_eq!([&after["metadata"], &after["spec"]["hostname"]], [&pod["metadata"], &json!("h")]);
        // Nothing is refused of what is filled in, but what was written as none.
        let refusal = validate::pod(&rules(), &after.to_string()).unwrap().refusal.map(|refusal| refusal.to_string());
        let wrote_none = pod.to_string().contains(r#""nvidia.com/vgpu-number":"0""#);
        let is_missed = refusal.is_some_and(|text| text.contains("is given without nvidia.com/vgpu-number"));
        prop_assert!(wrote_none || !is_missed);
    }
}
