//! What is told about containers to whoever asks over HTTP.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use contract::{Bytes, paths};
use plugin::inventory::census::Census;
use plugin::inventory::health::Member;
use plugin::inventory::{Driver, Family, Gpu, GpuUse, Look, NoAnswer};
use plugin::metrics::exporter::{Exporter, Sources};
use plugin::metrics::serve::accept;
use plugin::metrics::watched::Watched;
use plugin::node::view::View;
use plugin::settings::node::NodeSettings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::node::{A, AnyCards, B, Node, host};

const MIB: u64 = 1 << 20;

/// A driver that sees 700 MiB used on the first GPU.
struct FakeDriver;

impl Family for FakeDriver {
    async fn look(&self) -> Result<Look, NoAnswer> {
        Err(NoAnswer("not asked".to_owned()))
    }

    async fn usage(&self, _: Duration) -> Result<Vec<GpuUse>, NoAnswer> {
        let (uuid, used, reserved) = (A.parse().unwrap(), Bytes(700 * MIB), Bytes(50 * MIB));
        Ok(vec![GpuUse { uuid, used, reserved, busy: Some(37), processes: vec![] }])
    }
}

fn gpu(index: u32, uuid: &str) -> Member {
    let gpu = Gpu {
        index,
        uuid: uuid.parse().unwrap(),
        model: "A \"fast\" one".to_owned(),
        memory: Bytes(1000 * MIB),
        pci: format!("00000000:0{index}:00.0"),
        numa: None,
        capability: (9, 0),
        mig: false,
    };
    Member { gpu, fault: (index == 1).then(|| "lost".to_owned()) }
}

/// The page, served at a port of its own.
struct Served {
    address: SocketAddr,
    watched: Watched,
}

impl Served {
    async fn new(node: &Node) -> Self {
        let watched = Watched::default();
        let driver = Driver { version: "550.1".to_owned(), cuda: (12, 4) };
        let census = Census { members: vec![gpu(0, A), gpu(1, B)], driver, ..Census::default() };
        let view = watch::Sender::new(View::new(&census, &NodeSettings::default()));
        let sources = Sources {
            watched: watched.clone(),
            family: Arc::new(FakeDriver),
            preparer: Arc::clone(&node.preparer),
            view: view.subscribe(),
            calls: Arc::default(),
            library: "0.1.0-abc".to_owned(),
        };
        let exporter: Arc<Exporter<FakeDriver, AnyCards>> = Exporter::new(sources).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(accept(listener, exporter));
        Self { address, watched }
    }

    /// The head and the body of an answer. Who is not answered in time, on a machine that has much to do, asks again.
    async fn ask(&self, method: &str, path: &str) -> (String, String) {
        loop {
            if let Some(answer) = self.ask_once(method, path).await {
                return answer;
            }
        }
    }

    async fn ask_once(&self, method: &str, path: &str) -> Option<(String, String)> {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let request = format!("{method} {path} HTTP/1.1\r\nHost: n1\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.to_owned(), body.to_owned()))
    }

    async fn metrics(&self) -> String {
        let (head, body) = self.ask("GET", "/metrics").await;
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(head.contains("content-type: text/plain; version=0.0.4; charset=utf-8"), "{head}");
        body
    }
}

fn has(page: &str, line: &str) {
    assert!(page.lines().any(|there| there == line), "no {line}\n{page}");
}

fn slice(name: &str, pod: &str) -> String {
    format!(
        "{name}{{namespace=\"team\",pod=\"{pod}\",pod_uid=\"{pod}\",container=\"main\",gpu_uuid=\"{A}\",gpu_index=\"0\"}}"
    )
}

/// A pod with 100 MiB of the first GPU, and its region.
async fn started(node: &mut Node, pod: &str) -> PathBuf {
    node.usual_pod(pod, A, 100);
    let held = node.allocate(pod, "main", &[pod]);
    node.start(&held).await.unwrap();
    PathBuf::from(host(&node.edits(&held).unwrap(), paths::CONTAINER_REGION))
}

/// All ones but for what makes it a region and its first GPU ours.
fn fill_with_rubbish(region: &PathBuf) {
    let file = fs::File::options().write(true).open(region).unwrap();
    let length = file.metadata().unwrap().len();
    // Slots used, and everything after the header.
    file.write_all_at(&[0xff; 8], 16 * 8).unwrap();
    file.write_all_at(&vec![0xff; usize::try_from(length).unwrap() - 4096], 4096).unwrap();
    let key = [0x9e37_79b9_7f4a_7c15_u64.to_ne_bytes(), [0, 0, 0, 0, 0, 0, 0, 0x0a]].concat();
    file.write_all_at(&key, 4096).unwrap();
}

#[tokio::test]
async fn a_container_whose_account_is_damaged_costs_its_own_numbers_only() {
    let mut node = Node::new();
    let _whole = started(&mut node, "whole").await;
    let short = started(&mut node, "short").await;
    let long = started(&mut node, "long").await;
    let odd = started(&mut node, "odd").await;
    node.usual_pod("waiting", A, 100);
    let served = Served::new(&node).await;
    fs::File::options().write(true).open(short).unwrap().set_len(5000).unwrap();
    fs::File::options().write(true).open(long).unwrap().set_len(1 << 40).unwrap();
    fill_with_rubbish(&odd);
    let page = served.metrics().await;
    for (pod, is_readable) in [("whole", 1), ("short", 0), ("long", 1), ("odd", 0)] {
        let of = format!("{{namespace=\"team\",pod=\"{pod}\",pod_uid=\"{pod}\",container=\"main\"}}");
        has(&page, &format!("vgpu_container_region_readable{of} {is_readable}"));
        has(&page, &format!("{} {}", slice("vgpu_container_memory_limit_bytes", pod), 100 * MIB));
    }
    for pod in ["whole", "long"] {
        has(&page, &format!("{} 0", slice("vgpu_container_memory_used_bytes", pod)));
        has(&page, &format!("{} 0", slice("vgpu_container_memory_refusals_total", pod)));
        has(&page, &format!("{} 0.000000000", slice("vgpu_container_compute_throttled_seconds_total", pod)));
    }
    assert!(!page.contains(&slice("vgpu_container_memory_used_bytes", "short")));
    assert!(!page.contains("pod=\"waiting\""));
    let gpu = format!("{{gpu_uuid=\"{A}\",gpu_index=\"0\"}}");
    let accounted = |page: &str| -> u64 {
        let name = format!("vgpu_gpu_memory_accounted_bytes{gpu} ");
        page.lines().find_map(|line| line.strip_prefix(&name)).unwrap().parse().unwrap()
    };
    assert!(accounted(&page) <= 100 * MIB, "a tenant is believed no more than its limit");
    has(&page, &format!("vgpu_gpu_memory_unaccounted_bytes{gpu} {}", 700 * MIB - accounted(&page)));
}

#[tokio::test]
async fn gpus_and_the_agent_are_told_of_as_they_are() {
    let mut node = Node::new();
    for pod in ["p", "q"] {
        let _region = started(&mut node, pod).await;
    }
    node.usual_pod("greedy", A, 900);
    let held = node.allocate("greedy", "main", &["x"]);
    node.start(&held).await.unwrap_err();
    let served = Served::new(&node).await;
    served.watched.conditions.add("kubelet").set(Ok(()));
    let page = served.metrics().await;
    for (name, value) in [
        ("vgpu_gpu_healthy", "1".to_owned()),
        ("vgpu_gpu_memory_total_bytes", (1000 * MIB).to_string()),
        ("vgpu_gpu_memory_used_bytes", (700 * MIB).to_string()),
        ("vgpu_gpu_memory_claimed_bytes", (200 * MIB).to_string()),
        ("vgpu_gpu_compute_claimable_ratio", "1.000".to_owned()),
        ("vgpu_gpu_utilization_ratio", "0.370".to_owned()),
        ("vgpu_gpu_containers", "2".to_owned()),
    ] {
        has(&page, &format!("{name}{{gpu_uuid=\"{A}\",gpu_index=\"0\"}} {value}"));
    }
    has(&page, &format!("vgpu_gpu_healthy{{gpu_uuid=\"{B}\",gpu_index=\"1\"}} 0"));
    assert!(!page.contains(&format!("vgpu_gpu_memory_used_bytes{{gpu_uuid=\"{B}\"")));
    has(
        &page,
        &format!(
            "vgpu_gpu_info{{gpu_uuid=\"{A}\",gpu_index=\"0\",model=\"A \\\"fast\\\" one\",pci_address=\"00000000:00:00.0\"}} 1"
        ),
    );
    has(&page, "vgpu_agent_kubelet_calls_total{call=\"PreStartContainer\"} 2");
    has(&page, "vgpu_agent_kubelet_call_failures_total{call=\"PreStartContainer\",reason=\"no_room\"} 1");
    has(&page, "vgpu_agent_condition_fulfilled{condition=\"kubelet\"} 1");
    has(&page, "vgpu_agent_driver_answers 1");
    assert!(page.contains("library_version=\"0.1.0-abc\",driver_version=\"550.1\",cuda_version=\"12.4\"} 1"));
}

#[tokio::test]
async fn who_only_holds_connections_open_keeps_nobody_out_and_probes_say_what_is_wrong() {
    let node = Node::new();
    let served = Served::new(&node).await;
    let mut idle = Vec::new();
    for _ in 0..100 {
        idle.push(TcpStream::connect(served.address).await.unwrap());
    }
    let status = |head: &str| head.split(' ').nth(1).map(str::to_owned);
    let kubelet = served.watched.conditions.add("kubelet");
    let (head, body) = served.ask("GET", "/readyz").await;
    assert_eq!(
        (status(&head).as_deref(), body.as_str()),
        (Some("503"), "[-]kubelet failed: not known yet\nfailed\n")
    );
    kubelet.set(Ok(()));
    let (head, body) = served.ask("GET", "/readyz").await;
    assert_eq!((status(&head).as_deref(), body.as_str()), (Some("200"), "[+]kubelet ok\nok\n"));
    for (method, path, expected) in
        [("GET", "/healthz", "200"), ("GET", "/", "404"), ("POST", "/metrics", "405")]
    {
        assert_eq!(status(&served.ask(method, path).await.0).as_deref(), Some(expected), "{method} {path}");
    }
    let _dead = served.watched.pulses.watch("dead", Duration::ZERO);
    let (head, body) = served.ask("HEAD", "/healthz").await;
    assert_eq!((status(&head).as_deref(), body.as_str()), (Some("503"), ""));
}

/// Prints what it costs.
#[tokio::test]
async fn a_scrape_of_a_hundred_containers_reads_each_account_once() {
    let mut node = Node::new();
    let first = started_small(&mut node, 0).await;
    for number in 1..100 {
        let region = started_small(&mut node, number).await;
        // They may as well be one file, which takes no more of the disk.
        fs::remove_file(&region).unwrap();
        fs::hard_link(&first, &region).unwrap();
    }
    let served = Served::new(&node).await;
    let began = Instant::now();
    let page = served.metrics().await;
    let took = began.elapsed();
    let readable = page.lines().filter(|line| line.starts_with("vgpu_container_region_readable{")).count();
    assert_eq!(readable, 100);
    let again = Instant::now();
    let is_same = served.metrics().await == page;
    assert!(is_same || began.elapsed() >= Duration::from_secs(1), "it is made anew within a second");
    println!(
        "100 containers: {} KiB in {took:?}; once more, within a second: {:?}",
        page.len() >> 10,
        again.elapsed()
    );
    fill_with_rubbish(&first);
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let began = Instant::now();
    let page = served.metrics().await;
    println!("100 containers, all of them filled with rubbish: {:?}", began.elapsed());
    assert_eq!(page.lines().filter(|line| line.starts_with("vgpu_container_region_readable{")).count(), 100);
}

async fn started_small(node: &mut Node, number: u32) -> PathBuf {
    let pod = format!("pod-{number}");
    node.usual_pod(&pod, A, 1);
    let held = node.allocate(&pod, "main", &[&pod]);
    node.start(&held).await.unwrap();
    PathBuf::from(host(&node.edits(&held).unwrap(), paths::CONTAINER_REGION))
}
