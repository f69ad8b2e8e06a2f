//! What the chart can be rendered to, and what was rendered, as the API server judges it.

use std::fs;
use std::path::Path;
use std::process::Command;

use kube_harness::product::stage;
use kube_harness::{Cluster, kubectl};
use serde_json::{Value, json};

use crate::chart::{self, SYSTEM};

/// Kinds that other people's operators bring: what they may contain is not looked at.
const FOREIGN: [(&str, &str, &str); 3] = [
    ("monitoring.coreos.com", "PodMonitor", "podmonitors"),
    ("cert-manager.io", "Certificate", "certificates"),
    ("cert-manager.io", "Issuer", "issuers"),
];

/// Our programs, by the names of their containers.
const PROGRAMS: [(&str, &str); 2] = [("agent", "vgpu-node-agent"), ("extender", "vgpu-scheduler-extender")];

fn definition((group, kind, plural): (&str, &str, &str)) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}
            }]
        }
    })
}

/// The chart with the values of a file.
fn rendered(values: &Path) -> String {
    let helm = Command::new("helm")
        .args(["template", "vgpu", "--namespace", SYSTEM, "--values"])
        .args([values, &chart::directory()])
        .output()
        .unwrap();
    assert!(helm.status.success(), "{}", String::from_utf8_lossy(&helm.stderr));
    String::from_utf8(helm.stdout).unwrap()
}

/// What programs say against the arguments that a manifest gives them.
fn refused_arguments(name: &str, manifest: &str) -> Vec<String> {
    let objects =
        kubectl(&["create", "--dry-run=client", "--output=json", "--filename=-"], manifest).unwrap();
    let objects = serde_json::Deserializer::from_str(&objects).into_iter::<Value>().map(Result::unwrap);
    let containers = objects.flat_map(|object| {
        let containers = object["spec"]["template"]["spec"]["containers"].as_array().cloned();
        containers.unwrap_or_default()
    });
    let refused = containers.filter_map(|container| {
        let (_, program) = PROGRAMS.iter().find(|(of, _)| container["name"] == *of)?;
        let arguments = container["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut command = Command::new(stage().join("bin").join(program));
        // What it has to say against an argument comes first.
        let output = command.args(arguments).args(["--help"]).env("NODE_NAME", "n").output().unwrap();
        (!output.status.success()).then(|| format!("{name}: {}", String::from_utf8_lossy(&output.stderr)))
    });
    refused.collect()
}

#[test]
fn the_api_server_and_our_programs_have_nothing_to_say_about_any_manifest() {
    let Some(_cluster) = Cluster::alone() else { return };
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy");
    let definitions =
        json!({"apiVersion": "v1", "kind": "List", "items": FOREIGN.map(definition)}).to_string();
    kubectl(&["apply", "--filename", "-"], &definitions).unwrap();
    kubectl(&["wait", "--for=condition=Established", "--filename", "-"], &definitions).unwrap();
    let mut all =
        vec![("as it is".to_owned(), fs::read_to_string(deploy.join("manifests/vgpu.yaml")).unwrap())];
    let files = fs::read_dir(deploy.join("vgpu/ci")).unwrap().map(|entry| entry.unwrap().path());
    all.extend(files.map(|file| (file.display().to_string(), rendered(&file))));
    let namespace = fs::read_to_string(deploy.join("manifests/namespace.yaml")).unwrap();
    kubectl(&["apply", "--server-side", "--force-conflicts", "--filename", "-"], &namespace).unwrap();
    let judge = ["apply", "--dry-run=server", "--server-side", "--force-conflicts", "--validate=strict"];
    let judged = all.iter().map(|(name, text)| {
        let said = kubectl(&[&judge[..], &["--filename", "-"]].concat(), text);
        (name, said)
    });
    let mut wrong: Vec<_> =
        judged.filter_map(|(name, said)| Some(format!("{name}: {}", said.err()?))).collect();
    wrong.extend(all.iter().flat_map(|(name, text)| refused_arguments(name, text)));
    kubectl(&["delete", "--filename", "-"], &definitions).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_limit_of_memory_ends_an_agent_for_the_files_of_slices() {
    // In memory, as here, those of 50 pods are more than what was the limit. They outlive the container, so each next one was killed, too.
    let Some(_cluster) = Cluster::alone() else { return };
    let resources = "jsonpath={.spec.template.spec.containers[*].resources}";
    let show = ["create", "--dry-run=client", "--output", resources, "--filename", "-"];
    let resources = kubectl(&show, &chart::render(&chart::values())).unwrap();
    assert!(resources.contains("requests") && !resources.contains("limits"), "{resources}");
}
