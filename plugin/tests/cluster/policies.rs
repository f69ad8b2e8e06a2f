//! Who may write what: the chart's policies and roles.

use kube_harness::product::machine::FILL;
use kube_harness::{Cluster, Namespace, kubectl, wait_until};
use serde_json::{Value, json};

use crate::agent::{self, Agent, NODE};
use crate::chart::SYSTEM;
use crate::tenant::{CLAIM, claim, manifest, run, total_of, uid};

/// Somebody who may do anything, but is no scheduler.
const SOMEBODY: [&str; 2] = ["--as=somebody", "--as-group=system:masters"];
const REFUSED: &str = "only [admin] may write it; leave it out";

/// What the API server says when somebody does this in `space`.
fn said(space: &Namespace, arguments: &[&str], input: &Value) -> String {
    let place = ["--namespace", space.name()];
    let all = [&SOMEBODY[..], &place, arguments].concat();
    let input = if input.is_null() { String::new() } else { input.to_string() };
    kubectl(&all, &input).unwrap_or_else(|error| error)
}

fn binding(name: &str, annotations: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name, "annotations": annotations},
        "target": {"apiVersion": "v1", "kind": "Node", "name": NODE}
    })
}

#[test]
fn nobody_but_the_scheduler_writes_a_claim() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let apply = ["apply", "--filename", "-"];
    let mut forged = manifest("forged", "true");
    forged["metadata"]["annotations"] = json!({CLAIM: claim("another-pod", &[("main", 1)])});
    // A policy is in force a moment after it was made.
    let refused = || Some(said(&space, &[&apply[..], &["--dry-run=server"]].concat(), &forged));
    wait_until(
        "a pod with a claim is refused",
        || refused().filter(|text| text.contains(REFUSED)),
        String::new,
    );
    assert!(said(&space, &apply, &forged).contains(REFUSED));

    let pod = space.run(&manifest("one", "sleep 1000"));
    let right = claim(&uid(&pod), &[("main", 1000)]);
    let annotation = json!({CLAIM: right});
    let patch = json!({"metadata": {"annotations": annotation}}).to_string();
    let patched = ["patch", "pod", "one", "--type=merge", "--patch", &patch];
    let post = |path: &str, object: &Value| {
        let path = format!("/api/v1/namespaces/{}/{path}", space.name());
        said(&space, &["create", "--raw", &path, "--filename", "-"], object)
    };
    assert!(said(&space, &patched, &Value::Null).contains(REFUSED));
    let of_status = said(&space, &[&patched[..], &["--subresource=status"]].concat(), &Value::Null);
    assert!(of_status.contains(REFUSED), "{of_status}");
    // The API server itself lets nobody change annotations through these.
    for part in ["--subresource=ephemeralcontainers", "--subresource=resize"] {
        said(&space, &[&patched[..], &[part]].concat(), &Value::Null);
        assert!(pod.get().unwrap()["metadata"]["annotations"][CLAIM].is_null(), "{part}");
    }
    for path in ["pods/one/binding", "bindings"] {
        let text = post(path, &binding("one", &annotation));
        assert!(text.contains(REFUSED), "{path}: {text}");
    }
    // Other annotations are nobody's business, also in a Binding.
    assert!(!said(&space, &["annotate", "pod", "one", "a=b"], &Value::Null).contains(REFUSED));
    let given = run(&space, &manifest("given", &format!("{FILL} 1; sleep 1000")), &[("main", 1000)]);
    given.wait_for("Running");
    let removed = said(&space, &["annotate", "pod", "given", &format!("{CLAIM}-")], &Value::Null);
    assert!(removed.contains(REFUSED), "{removed}");
    assert_eq!(total_of(&given.exec(&[FILL, "1"]).unwrap()), Some(1000));
}

/// The flags with which kubectl is an agent of this node, with the rights of that agent's own token.
fn login() -> Vec<String> {
    let pod = agent::pods()[0]["metadata"]["name"].as_str().unwrap().to_owned();
    let token = ["create", "token", "vgpu-node-agent", "--bound-object-kind=Pod", "--bound-object-name"];
    let token = kubectl(&[&["--namespace", SYSTEM][..], &token, &[&pod]].concat(), "").unwrap();
    vec![
        "--kubeconfig=/dev/null".to_owned(),
        "--server=https://10.99.0.1".to_owned(),
        "--insecure-skip-tls-verify".to_owned(),
        format!("--token={}", token.trim()),
    ]
}

/// What the API server says to an agent of this node.
fn said_to_agent(login: &[String], words: &[&str], input: &Value) -> String {
    let login: Vec<&str> = login.iter().map(String::as_str).collect();
    kubectl(&[&login, words].concat(), &input.to_string()).unwrap_or_else(|error| error)
}

#[test]
fn an_agent_may_write_on_its_own_node_and_nothing_that_decides_where_pods_run() {
    let Some(_cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let login = login();
    let write = |node: &Value| said_to_agent(&login, &["apply", "--server-side", "--filename", "-"], node);
    let node = |name: &str| json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}});
    kubectl(&["apply", "--filename", "-"], &node("another").to_string()).unwrap();
    let mut noted = node("another");
    noted["metadata"]["annotations"] = json!({"vgpu.test/note": "x"});
    let of_another = write(&noted);
    kubectl(&["delete", "node", "another"], "").unwrap();
    let refusal = "a node agent writes on the node that it runs on, and this is another";
    assert!(of_another.contains(refusal), "{of_another}");
    noted["metadata"]["name"] = json!(NODE);
    let of_own = write(&noted);
    assert!(of_own.contains("serverside-applied"), "{of_own}");
    noted["spec"] = json!({"unschedulable": true});
    let cordoned = write(&noted);
    let refusal = "a node agent writes annotations, labels and capacity of its node, and nothing else";
    assert!(cordoned.contains(refusal), "{cordoned}");
}

#[test]
fn an_agent_may_do_what_it_does_and_no_more() {
    let Some(_cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let login = login();
    // It exits with 1 where the answer is no.
    let may = |verb: &str, resource: &str| {
        let question = ["auth", "can-i", verb, resource, "--all-namespaces"];
        said_to_agent(&login, &question, &Value::Null).trim() == "yes"
    };
    assert!(may("list", "pods"));
    for verb in ["create", "update", "patch", "delete"] {
        assert!(!may(verb, "pods"), "{verb}");
    }
    for (verb, resource) in
        [("update", "nodes"), ("delete", "nodes"), ("get", "secrets"), ("get", "configmaps")]
    {
        assert!(!may(verb, resource), "{verb} {resource}");
    }
    for part in ["pods/exec", "pods/binding"] {
        assert!(!may("create", part), "{part}");
    }
}
