//! Containers on a runtime without CDI.

use std::fs;
use std::path::Path;

use contract::limits_page::Page;
use contract::paths;
use plugin::kubelet::prepare::Prepare;
use plugin::prepare::Delivery;

use crate::node::{A, B, Held, Node};

/// What the runtime finds where it is told to mount at `path`.
fn mounted(node: &Node, held: &Held, path: &str) -> Option<std::path::PathBuf> {
    let answer = node.preparer.answer(held.token, &held.ids);
    let mount = answer.mounts.iter().find(|mount| mount.container_path == path).unwrap();
    fs::canonicalize(&mount.host_path).ok()
}

fn memory(node: &Node, held: &Held) -> Option<u64> {
    let dir = mounted(node, held, paths::LIMITS_DIR)?;
    let page = Page::decode(&fs::read(paths::limits_file(&dir)).unwrap()).unwrap();
    Some(page.entries()[0].memory.unwrap().0 >> 20)
}

#[tokio::test]
async fn each_container_finds_its_own_slice_in_its_mounts() {
    let mut node = Node::with(Delivery::Links);
    let ids = [format!("{A}::0"), format!("{A}::1")];
    for (pod, size) in [("p", 100), ("q", 200)] {
        node.usual_pod(pod, A, size);
    }
    let p = node.allocate("p", "main", &[&ids[0]]);
    let q = node.allocate("q", "main", &[&ids[1]]);
    assert_eq!(mounted(&node, &q, paths::PRELOAD), None);
    node.start(&q).await.unwrap();
    assert_eq!((memory(&node, &p), memory(&node, &q)), (None, Some(200)));
    node.start(&p).await.unwrap();
    assert_eq!(memory(&node, &p), Some(100));
    let library = mounted(&node, &p, paths::CONTAINER_LIBRARY).unwrap();
    assert!(library.ends_with("lib/1/libvgpu.so"), "{}", library.display());
    assert_eq!(node.edits(&p), None, "no spec is written");
}

#[tokio::test]
async fn a_claim_for_other_gpus_than_kubelet_has_chosen_is_refused() {
    let mut node = Node::with(Delivery::Links);
    node.usual_pod("p", B, 100);
    let held = node.allocate("p", "main", &[&format!("{A}::0")]);
    let refusal = node.start(&held).await.unwrap_err();
    assert!(refusal.starts_with(&format!("the claim is for {B}, and kubelet has chosen {A}")), "{refusal}");
    assert_eq!(memory(&node, &held), None);
}

#[tokio::test]
async fn mounts_of_pods_that_are_gone_go() {
    let mut node = Node::with(Delivery::Links);
    node.usual_pod("p", A, 1);
    let held = node.allocate("p", "main", &[&format!("{A}::0")]);
    node.start(&held).await.unwrap();
    let place = node.path("state/tokens").join(held.token.to_string());
    for _ in 0..2 {
        node.preparer.collect().await.unwrap();
    }
    assert!(place.exists());
    node.record.clear();
    node.write_record();
    node.gone("p");
    for expected in [true, false] {
        node.preparer.collect().await.unwrap();
        assert_eq!(Path::new(&place).exists(), expected);
    }
}

#[tokio::test]
async fn a_container_that_was_answered_with_mounts_starts_again_when_the_runtime_has_cdi_since() {
    let mut node = Node::with(Delivery::Links);
    node.usual_pod("p", A, 100);
    let held = node.allocate("p", "main", &[&format!("{A}::0")]);
    node.start(&held).await.unwrap();
    let mounts = node.preparer.answer(held.token, &held.ids).mounts;
    let library = mounts.into_iter().find(|mount| mount.container_path == paths::CONTAINER_LIBRARY).unwrap();
    node.restart_without_api();
    fs::create_dir(node.path("lib/2")).unwrap();
    fs::rename(node.path("lib/1/libvgpu.so"), node.path("lib/2/libvgpu.so")).unwrap();
    fs::remove_file(node.path("lib/current")).unwrap();
    std::os::unix::fs::symlink("2", node.path("lib/current")).unwrap();
    node.start(&held).await.unwrap();
    assert!(fs::canonicalize(&library.host_path).unwrap().ends_with("lib/2/libvgpu.so"));
    assert!(node.edits(&held).is_some());
}
