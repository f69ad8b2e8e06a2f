//! Who may write what: the chart's policies and roles.

use kube_harness::product::forger::Forger;
use kube_harness::product::machine::FILL;
use kube_harness::{Cluster, kubectl};
use serde_json::{Value, json};

use crate::agent::{self, Agent, NODE};
use crate::chart::SYSTEM;
use crate::tenant::{CLAIM, claim, manifest, run, total_of, uid};

#[test]
fn nobody_but_the_scheduler_writes_a_claim() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let forger = Forger::new(&space, "only [admin] may write it; leave it out");
    let mut forged = manifest("forged", "true");
    forged["metadata"]["annotations"] = json!({CLAIM: claim("another-pod", &[("main", 1)])});
    forger.waits_to_be_refused(&forged);
    forger.makes(&forged);
    let pod = space.run(&manifest("one", "sleep 1000"));
    forger.gives(&pod, &claim(&uid(&pod), &[("main", 1000)]), NODE);
    // Other annotations are nobody's business.
    let said = forger.said(&["annotate", "pod", "one", "a=b"], &Value::Null);
    assert!(said.contains("annotated"), "{said}");
    let given = run(&space, &manifest("given", &format!("{FILL} 1; sleep 1000")), &[("main", 1000)]);
    given.wait_for("Running");
    forger.takes(&given);
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
