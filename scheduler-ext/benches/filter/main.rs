//! What a question of kube-scheduler costs: `cargo bench -p scheduler-ext --bench filter`, and a number behind `--` for that many
//! rounds.
//!
//! A ledger of 1,000 and one of 5,000 nodes with 8 GPUs each are asked on which nodes a pod fits, with 10,000 pods there, for pods
//! of several kinds; each question is one whole request as kube-scheduler writes it, with the names of all nodes, and the answer as
//! it reads it. Beside that, what an event of the watch costs.

#![forbid(unsafe_code)]

mod cluster;
mod pods;

use std::hint::black_box;
use std::time::{Duration, Instant};

use cluster::Cluster;
use scheduler_ext::api::Pod;
use scheduler_ext::extender::filter::{Manner, filter};
use scheduler_ext::extender::wire::FilterRequest;
use scheduler_ext::ledger::PodWord;

/// How many nodes, and what the slowest of a hundred questions may take.
const GOALS: [(usize, Duration); 2] = [(1_000, Duration::from_millis(1)), (5_000, Duration::from_millis(5))];

const PODS: usize = 10_000;

fn main() {
    let rounds = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(300);
    println!("{:>5} nodes x 8 GPUs, {PODS} pods; milliseconds a question, of {rounds}", "");
    println!("{:>5}  {:44} {:>6} {:>8} {:>8} {:>8}", "nodes", "pod", "fits on", "p50", "p99", "goal");
    for (nodes, goal) in GOALS {
        let cluster = Cluster::new(nodes, PODS);
        println!("{nodes:>5}  nodes, {} of them different", cluster.different());
        for (name, pod) in pods::kinds() {
            let request = cluster.request(&pod);
            let fitting = answer(&cluster, &request).1;
            let mut times = measure(rounds, || drop(black_box(answer(&cluster, black_box(&request)))));
            let (half, most) = (percentile(&mut times, 50), percentile(&mut times, 99));
            let goal = goal.as_secs_f64() * 1e3;
            let verdict = if most <= goal { "met" } else { "MISSED" };
            println!("{nodes:>5}  {name:44} {fitting:>6} {half:>8.3} {most:>8.3} {goal:>8.1} {verdict}");
        }
    }
    events(rounds);
}

/// The answer to a request, and on how many nodes the pod fits.
fn answer(cluster: &Cluster, request: &[u8]) -> (Vec<u8>, usize) {
    let FilterRequest { pod, offer } = serde_json::from_slice(request).expect("a request");
    let pod = pod.expect("a pod");
    let ask = cluster.reader.read(&pod).expect("what can be had").expect("a vGPU");
    let answer = filter(&cluster.ledger, &pod, &ask, offer, Manner::default());
    let fitting = answer.node_names.as_ref().map_or(0, Vec::len);
    (serde_json::to_vec(&answer).expect("an answer"), fitting)
}

/// What reading a pod of a watch costs, and taking note of it.
fn events(rounds: usize) {
    let mut cluster = Cluster::new(1_000, PODS);
    println!("\nmicroseconds for an event of the watch");
    for (name, text) in [
        ("a pod without vGPUs", pods::watched(false)),
        ("a bound pod with a vGPU, beside ten others", pods::watched(true)),
    ] {
        let mut times = measure(rounds * 20, || {
            let pod: Pod = serde_json::from_str(black_box(&text)).expect("a pod");
            if let Some(word) = PodWord::read(&pod, &cluster.reader) {
                let uid = pod.metadata.uid.as_deref().expect("a uid").parse().expect("a uid");
                cluster.ledger.put_pod(word);
                cluster.ledger.forget_pod(&uid);
            }
        });
        let (half, most) = (percentile(&mut times, 50) * 1e3, percentile(&mut times, 99) * 1e3);
        println!("{name:50} {:>6} bytes {half:>8.1} {most:>8.1}", text.len());
    }
}

fn measure(rounds: usize, mut run: impl FnMut()) -> Vec<Duration> {
    (0..rounds / 10).for_each(|_| run());
    let time = |()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    std::iter::repeat_n((), rounds).map(time).collect()
}

/// In milliseconds.
fn percentile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort_unstable();
    let rank = (times.len() * percent).div_ceil(100).saturating_sub(1);
    times.get(rank).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}
