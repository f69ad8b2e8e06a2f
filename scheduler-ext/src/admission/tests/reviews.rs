use super::*;
use crate::admission::review::{Question, answer};

/// What the API server sends of a pod that is made.
fn review(object: &Value) -> Value {
    json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {
        "uid": "0c9a8d74", "operation": "CREATE", "name": "", "namespace": "team", "dryRun": false,
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "userInfo": {"username": "ann", "groups": ["system:authenticated"]},
        "object": object, "oldObject": null,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    }})
}

fn answered(question: Question, review: &Value) -> Value {
    let (_, body) = answer(&rules(), question, review.to_string().as_bytes()).unwrap();
    let answer: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!([&answer["kind"], &answer["apiVersion"]], ["AdmissionReview", "admission.k8s.io/v1"]);
    assert_eq!(answer["response"]["uid"], "0c9a8d74");
    answer["response"].clone()
}

#[test]
fn a_patch_goes_with_its_type_and_nothing_without_one() {
    let response = answered(Question::Mutate, &review(&pod(&json!({}))));
    assert_eq!([&response["allowed"], &response["patchType"]], [&json!(true), &json!("JSONPatch")]);
    let bytes: Vec<u8> = serde_json::from_value(response["patch"].clone()).unwrap();
    let patch: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(patch, json!([{"op": "add", "path": "/spec/schedulerName", "value": "vgpu-scheduler"}]));
    let idle = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "main", "image": "i"}]}});
    let (_, bytes) = answer(&rules(), Question::Mutate, review(&idle).to_string().as_bytes()).unwrap();
    let expected = r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"0c9a8d74","allowed":true,"status":{}}}"#;
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
}

#[test]
fn a_refusal_says_what_and_is_no_success() {
    let faulty = pod(&json!({"containers": [container("main", &json!({"number": "65"}))]}));
    let response = answered(Question::Validate, &review(&faulty));
    assert_eq!(response["allowed"], false);
    let status = &response["status"];
    assert_eq!([&status["code"], &status["reason"]], [&json!(422), &json!("Invalid")]);
    assert_eq!(status["message"], "container main: nvidia.com/vgpu-number is 65, which is more than 64");
}

#[test]
fn a_pod_that_cannot_be_filled_in_is_refused_without_a_patch() {
    let containers: Vec<Value> = (0..65).map(|_| container("c", &json!({"memory": "1"}))).collect();
    let response = answered(Question::Mutate, &review(&pod(&json!({"containers": containers}))));
    assert_eq!([&response["allowed"], &response["status"]["code"]], [&json!(false), &json!(422)]);
    assert_eq!(response.get("patch"), None);
}

#[test]
fn what_would_take_much_memory_to_read_or_to_answer_is_no_review() {
    let error = |pod: &Value| {
        let body = review(pod).to_string();
        answer(&rules(), Question::Validate, body.as_bytes()).unwrap_err().to_string()
    };
    let many = error(&pod(&json!({"tolerations": vec![json!({}); 1 << 17]})));
    assert_eq!(many, "the AdmissionReview has more than 262144 values");
    let mut long = container(&"x".repeat(1 << 20), &json!({"number": "1"}));
    long["securityContext"] = json!({"privileged": true});
    let long = error(&pod(&json!({"containers": [long]})));
    assert!(long.starts_with("the answer would have 1048") && long.ends_with("may have 262144"), "{long}");
    // Commas in texts are none between values.
    let text = r#"\",[{,"#.repeat(1 << 17);
    let wordy = json!({"metadata": {"annotations": {"note": text}}});
    assert_eq!(answered(Question::Validate, &review(&wordy))["allowed"], true);
}

#[test]
fn claims_are_looked_at_in_whatever_writes_annotations() {
    let claimed = json!({"metadata": {"annotations": {"nvidia.com/vgpu-claim": "{}"}}});
    for (resource, sub, operation) in [
        ("pods", "", "CREATE"),
        ("pods", "", "UPDATE"),
        ("pods", "status", "UPDATE"),
        ("pods", "ephemeralcontainers", "UPDATE"),
        ("pods", "resize", "UPDATE"),
        ("pods", "binding", "CREATE"),
        ("bindings", "", "CREATE"),
    ] {
        let mut review = review(&claimed);
        review["request"]["resource"]["resource"] = json!(resource);
        review["request"]["subResource"] = json!(sub);
        review["request"]["operation"] = json!(operation);
        let response = answered(Question::Validate, &review);
        assert_eq!([&response["allowed"], &response["status"]["code"]], [&json!(false), &json!(403)]);
        review["request"]["userInfo"]["username"] = json!(OURS);
        assert_eq!(answered(Question::Validate, &review)["allowed"], true);
        review["request"]["userInfo"]["username"] = json!("ann");
        review["request"]["oldObject"] = claimed.clone();
        assert_eq!(answered(Question::Validate, &review)["allowed"], true);
    }
}

#[test]
fn asks_are_read_when_a_pod_is_made_and_never_again() {
    let mut review = review(&pod(&json!({"containers": [container("main", &json!({"number": "65"}))]})));
    review["request"]["operation"] = json!("UPDATE");
    assert_eq!(answered(Question::Validate, &review)["allowed"], true);
    review["request"]["operation"] = json!("DELETE");
    review["request"]["object"] = Value::Null;
    assert_eq!(answered(Question::Validate, &review)["allowed"], true);
}

#[test]
fn workloads_are_warned_of_and_admitted() {
    let template = pod(&json!({"containers": [container("main", &json!({"number": "65"}))]}));
    let response = answered(Question::Warn, &review(&json!({"spec": {"template": template}})));
    assert_eq!(
        [&response["allowed"], &response["warnings"].as_array().unwrap().len().into()],
        [&json!(true), &json!(1)]
    );
}

#[test]
fn what_is_no_review_is_told_what_is_wrong_with_it() {
    let of = |change: fn(&mut Value)| {
        let mut review = review(&json!({"metadata": {}, "spec": {}}));
        change(&mut review);
        let body = review.to_string();
        answer(&rules(), Question::Mutate, body.as_bytes()).unwrap_err().to_string()
    };
    let beta = of(|review| review["apiVersion"] = json!("admission.k8s.io/v1beta1"));
    assert!(
        beta.starts_with("the body is AdmissionReview of admission.k8s.io/v1beta1; this answers"),
        "{beta}"
    );
    assert_eq!(of(|review| review["request"] = Value::Null), "the AdmissionReview has no request");
    assert_eq!(
        of(|review| review["request"]["object"] = Value::Null),
        "the AdmissionReview has no request for an object"
    );
    let odd = of(|review| review["request"]["object"]["spec"] = json!({"containers": 7}));
    assert!(odd.starts_with("the object is no Pod: "), "{odd}");
    for body in ["", "{", "null", "[]", "7"] {
        let error = answer(&rules(), Question::Mutate, body.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("the body is no AdmissionReview: "), "{error}");
    }
}
