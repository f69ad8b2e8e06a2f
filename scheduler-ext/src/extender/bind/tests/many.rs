//! Many binds for few places.

use futures_util::future::join_all;
use proptest::prelude::*;

use super::*;

const NODES: [&str; 3] = ["a", "b", "c"];

/// What happens to a pod.
#[derive(Clone, Debug)]
struct Life {
    /// A tenth of a GPU so often.
    tenths: u64,
    fates: Vec<Fate>,
    /// Binds of it: after so many milliseconds, to this node.
    binds: Vec<(u64, usize)>,
    /// When it is deleted, and when the watch says so.
    deleted: Option<(u64, u64)>,
    /// When the watch shows it as it is then.
    shown: Vec<u64>,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        6 => Just(Fate::Done),
        1 => (0_u64..8000).prop_map(|after| Fate::Lost(Duration::from_millis(after))),
        1 => Just(Fate::Dropped),
        1 => Just(Fate::DoneAndFailed(500)),
        1 => Just(Fate::DoneAndFailed(409)),
        1 => prop::sample::select(vec![403, 404, 409, 422, 429, 500, 503, 504]).prop_map(Fate::Refused),
        1 => Just(Fate::Broken),
    ]
}

fn life() -> impl Strategy<Value = Life> {
    (
        1_u64..=10,
        prop::collection::vec(fate(), 0..3),
        prop::collection::vec((0_u64..30_000, 0..NODES.len()), 1..5),
        prop::option::weighted(0.3, (0_u64..40_000, 0_u64..5000)),
        prop::collection::vec(0_u64..50_000, 0..3),
    )
        .prop_map(|(tenths, fates, binds, deleted, shown)| Life { tenths, fates, binds, deleted, shown })
}

async fn live(scene: &Scene, uid: &str, life: &Life) {
    let at = |millis| tokio::time::sleep(Duration::from_millis(millis));
    let binds = life.binds.iter().map(async |(when, node)| {
        at(*when).await;
        // Whatever comes of it.
        let _ = scene.bind(uid, NODES[*node]).await;
    });
    let shows = life.shown.iter().map(async |when| {
        at(*when).await;
        let pod = scene.server.pod(uid);
        if let Some(pod) = pod {
            scene.ledger.write().note_pod(&serde_json::from_value(pod).unwrap());
        }
    });
    let ends = life.deleted.iter().map(async |(when, until_told)| {
        at(*when).await;
        scene.server.delete(uid);
        at(*until_told).await;
        scene.ledger.write().forget_pod(&uid.parse().unwrap());
    });
    tokio::join!(join_all(binds), join_all(shows), join_all(ends));
}

async fn run(lives: Vec<Life>) {
    let scene = Scene::new(&NODES);
    let names: Vec<String> = (0..lives.len()).map(|index| format!("p{index}")).collect();
    for (uid, life) in names.iter().zip(&lives) {
        scene.pod(uid, &asks(1, life.tenths * 100, 0));
        scene.server.fate(uid, &life.fates);
    }
    join_all(names.iter().zip(&lives).map(|(uid, life)| live(&scene, uid, life))).await;
    scene.binder.idle().await;
    // The watch tells the rest.
    for uid in &names {
        let pod = scene.server.pod(uid);
        let mut ledger = scene.ledger.write();
        match pod {
            Some(pod) => ledger.note_pod(&serde_json::from_value(pod).unwrap()),
            None => ledger.forget_pod(&uid.parse().unwrap()),
        }
    }
    scene.check(&NODES);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_given_twice_and_nothing_is_lost(lives in prop::collection::vec(life(), 1..120)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(run(lives));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn hundreds_at_once_on_several_threads_fill_each_node_exactly() {
    let scene = Scene::new(&NODES);
    let names: Vec<String> = (0..400).map(|index| format!("p{index}")).collect();
    names.iter().for_each(|uid| scene.pod(uid, &asks(1, 200, 0)));
    let binds = names.iter().enumerate().flat_map(|(index, uid)| {
        let (binder, request) = (scene.binder.clone(), request(uid, NODES[index % NODES.len()]));
        (0..2).map(move |_| {
            let (binder, request) = (binder.clone(), request.clone());
            tokio::spawn(async move { binder.bind(&request).await })
        })
    });
    let results = join_all(binds.collect::<Vec<_>>()).await;
    let bound = results.into_iter().filter(|result| result.as_ref().unwrap().is_ok()).count();
    // Five fit on each node; each was asked for twice.
    assert!((15..=30).contains(&bound), "{bound}");
    assert_eq!(scene.server.posts().len(), 15);
    assert_eq!(NODES.map(|node| scene.used(node)), [1000; 3]);
    scene.check(&NODES);
}
