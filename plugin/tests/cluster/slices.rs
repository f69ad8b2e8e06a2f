//! Each container has exactly its slice.

use kube_harness::product::machine::{ALL, FILL, GPU, OTHER, SMI, has_smi};
use kube_harness::{Cluster, wait_until};
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::tenant::{
    another, bind, claim, claim_of_cards, devices, manifest, one_device, run, total_of, uid,
};

#[test]
fn a_pod_sees_and_obeys_its_slice() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let mut wanted = manifest("one", &format!("{FILL}; sleep 1000"));
    wanted["spec"]["containers"][0]["securityContext"] =
        json!({"readOnlyRootFilesystem": true, "runAsUser": 0});
    let pod = run(&space, &wanted, &[("main", 3000)]);
    pod.wait_for("Running");
    let filled = || Some(pod.logs()).filter(|logs| logs.contains("is refused"));
    let logs = wait_until("it has filled its slice", filled, || pod.logs());
    assert_eq!(total_of(&logs), Some(3000), "{logs}");
    assert!(logs.contains("one byte more is refused with CUDA_ERROR_OUT_OF_MEMORY"), "{logs}");
    // A shell that joins later has the same slice.
    let exec = pod.exec(&[FILL, "1"]).unwrap();
    assert_eq!(total_of(&exec), Some(3000), "{exec}");
    if has_smi() {
        let smi = pod.exec(&[SMI, "--query-gpu=memory.total", "--format=csv,noheader"]).unwrap();
        assert_eq!(smi.trim(), "3000 MiB");
    }
    assert!(pod.exec(&["sh", "-c", "echo >/etc/vgpu/limits/limits"]).is_err());
    assert!(pod.exec(&["sh", "-c", "echo >/etc/ld.so.preload"]).is_err());
    assert!(pod.exec(&["sh", "-c", "echo >/etc/vgpu/other"]).is_err());
    assert_eq!(pod.exec(&["sh", "-c", "echo $SIMULATED $NVIDIA_VISIBLE_DEVICES"]).unwrap(), "yes void\n");
}

#[test]
fn containers_of_one_pod_have_each_their_own() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let fill = format!("{FILL} 1");
    let mut wanted = manifest("several", &format!("{fill}; sleep 1000"));
    let main = wanted["spec"]["containers"][0].clone();
    wanted["spec"]["containers"] = json!([main, another(&main, "side", &format!("{fill}; sleep 1000"))]);
    wanted["spec"]["initContainers"] =
        json!([another(&main, "first", &fill), another(&main, "second", &fill)]);
    let sizes = [("main", 2000), ("side", 1000), ("first", 4000), ("second", 500)];
    let pod = run(&space, &wanted, &sizes);
    pod.wait_for("Running");
    for (container, size) in sizes {
        pod.wait_until("it has said what it sees", |_| total_of(&pod.logs_of(container)).is_some());
        assert_eq!(total_of(&pod.logs_of(container)), Some(size), "{container}");
    }
}

#[test]
fn a_sidecar_keeps_its_own_while_others_come_and_go() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let mut wanted = manifest("sidecar", &format!("{FILL} 1"));
    let main = wanted["spec"]["containers"][0].clone();
    let mut sidecar = another(&main, "proxy", &format!("{FILL} 1; sleep 1000"));
    sidecar["restartPolicy"] = json!("Always");
    sidecar["resources"] = one_device();
    wanted["spec"]["initContainers"] = json!([sidecar, another(&main, "setup", &format!("{FILL} 1"))]);
    let sizes = [("proxy", 700), ("setup", 800), ("main", 900)];
    let pod = run(&space, &wanted, &sizes);
    pod.wait_for("Succeeded");
    for (container, size) in sizes {
        assert_eq!(total_of(&pod.logs_of(container)), Some(size), "{container}");
    }
}

#[test]
fn a_pod_has_its_part_of_each_of_several_gpus() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start_on(&[GPU, OTHER], &json!({}));
    let space = cluster.namespace();
    let on = |card: &str| format!("CUDA_VISIBLE_DEVICES={card} {FILL} 1");
    let mut wanted = manifest("wide", &format!("{}; {}", on(GPU), on(OTHER)));
    wanted["spec"]["containers"][0]["resources"] = devices(2);
    let main = wanted["spec"]["containers"][0].clone();
    let mut side = another(&main, "side", &format!("{FILL} 1"));
    side["resources"] = one_device();
    wanted["spec"]["containers"] = json!([main, side]);
    let pod = space.run(&wanted);
    let claimed = [("main", vec![(GPU, 3000), (OTHER, 2000)]), ("side", vec![(OTHER, 1000)])];
    bind(&space, &pod, Some(&claim_of_cards(&uid(&pod), &claimed)));
    pod.wait_for("Succeeded");
    let seen = |container| pod.logs_of(container).lines().filter_map(total_of).collect::<Vec<_>>();
    assert_eq!((seen("main"), seen("side")), (vec![3000, 2000], vec![1000]));
}

#[test]
fn an_ephemeral_container_has_no_gpu() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let pod = run(&space, &manifest("debugged", "sleep 1000"), &[("main", 3000)]);
    pod.wait_for("Running");
    let look = "exec 2>&1; ls -d /opt/sim /etc/vgpu /etc/ld.so.preload /usr/lib/vgpu; echo \"[$NVIDIA_VISIBLE_DEVICES]\"";
    let debug = ["debug", pod.name(), "--container=look", "--target=main", "--image=vgpu.test/busybox:1"];
    let rest = ["--image-pull-policy=Never", "--", "sh", "-c", look];
    space.kubectl(&[&debug[..], &rest].concat()).unwrap();
    let has_ended =
        |pod: &Value| !pod["status"]["ephemeralContainerStatuses"][0]["state"]["terminated"].is_null();
    pod.wait_until("the ephemeral container has ended", has_ended);
    let seen = pod.logs_of("look");
    assert_eq!(seen.matches("No such file or directory").count(), 4, "{seen}");
    assert!(seen.ends_with("[]\n"), "{seen}");
}

/// All created before any is bound, and bound in another order.
#[test]
fn ten_pods_at_once_have_each_their_own() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let size = |number: u32| 1000 + 137 * number;
    assert!((0..10).map(size).sum::<u32>() < ALL);
    let pods: Vec<_> = (0..10_u32)
        .map(|number| space.run(&manifest(&format!("pod-{number}"), &format!("{FILL} 1"))))
        .collect();
    std::thread::scope(|scope| {
        for (number, pod) in (0..10_u32).zip(&pods).rev() {
            let space = &space;
            scope.spawn(move || {
                let claim = claim(&uid(pod), &[("main", size(number))]);
                bind(space, pod, Some(&claim));
            });
        }
    });
    let mismatches: Vec<_> = (0..10_u32)
        .zip(&pods)
        .filter_map(|(number, pod)| {
            pod.wait_for("Succeeded");
            let seen = total_of(&pod.logs());
            (seen != Some(size(number))).then(|| format!("{}: {seen:?} and not {}", pod.name(), size(number)))
        })
        .collect();
    assert!(mismatches.is_empty(), "{mismatches:?}");
}
